"""Holds the dependencies against deny.toml: licences, one version of each crate, and crates.io alone.

What `cargo deny check licenses bans sources` does, as far as this repository needs it: installing that takes longer
than everything else here.
"""

import collections
import json
import re
import subprocess
import sys
import tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def satisfied(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met with the allowed licences. `/` is the old way to write `OR`."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def atom() -> bool:
        token = tokens.pop(0)
        if token == "(":
            met = alternatives()
            tokens.pop(0)
            return met
        if tokens[:1] == ["WITH"]:
            token = f"{token} WITH {tokens[1]}"
            del tokens[:2]
        return token in allowed

    def all_of() -> bool:
        met = atom()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            met = atom() and met
        return met

    def alternatives() -> bool:
        met = all_of()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            met = all_of() or met
        return met

    return alternatives() and not tokens


def faults(metadata: dict, allowed: set[str]) -> list[str]:
    found = []
    versions = collections.defaultdict(list)
    ours = set(metadata["workspace_members"])
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        versions[package["name"]].append(package["version"])
        licence = package["license"]
        if not licence or not satisfied(licence, allowed):
            found.append(f"{name}: licence {licence} is not in deny.toml")
        if package["source"] != CRATES_IO and package["id"] not in ours:
            found.append(f"{name}: comes from {package['source']}, not from crates.io")
        if package["id"] in ours:
            wild = [d["name"] for d in package["dependencies"] if d["req"] == "*" and not d.get("path")]
            found += [f"{name}: any version of {dependency} will do" for dependency in wild]
    found += [f"{name}: versions {', '.join(all)}" for name, all in versions.items() if len(all) > 1]
    return found


def main() -> int:
    assert satisfied("(MIT OR Apache-2.0) AND Unicode-3.0", {"MIT", "Unicode-3.0"})
    assert not satisfied("(MIT OR Apache-2.0) AND Unicode-3.0", {"MIT"})
    assert not satisfied("GPL-3.0", {"MIT"}) and satisfied("MIT/GPL-3.0", {"MIT"})
    with open("deny.toml", "rb") as file:
        allowed = set(tomllib.load(file)["licenses"]["allow"])
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    found = faults(metadata, allowed)
    for fault in found:
        print(fault)
    print(f"{len(metadata['packages'])} packages, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
