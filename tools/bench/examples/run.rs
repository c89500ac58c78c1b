//! Development runner.

fn main() {
    for r in bench_worlds::tables(200) {
        println!(
            "{:38} {:7} ours {:.3} slots {:.3} ratio {:.2} goal {}",
            r.operation, r.entities, r.ours_ns, r.slots_ns, r.ratio, r.goal
        );
    }
}
