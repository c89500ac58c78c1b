//! Templates: components that entities begin with, made in code or read from a data file.

use core::cell::{Cell, RefCell};
use core::fmt;
use std::collections::BTreeMap;
use std::io;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;

use super::{CreateError, EntityMut, GameWorld, HasTable, Kind, NoSuchEntity, Table, Visit};
use crate::data::{Asked, json_reason, load_fields};
use crate::schema::Field;
use crate::wire::{Row, RowWriter};
use crate::{Component, Entity};

/// Components that entities begin with, at most one of a type.
///
/// ```rust,standalone_crate
/// # use ecs_runtime::prelude::*;
/// # #[component] pub struct Health { #[max(1000)] pub hp: i32 }
/// # #[component] pub struct Invincible;
/// # ecs_runtime::game_state! { max_entities = 64; Health, Invincible }
/// use ecs_runtime::world::{Template, Templates};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut gs = GameState::default();
/// let soldier = Template::new().with(Health { hp: 100 });
/// let first = soldier.spawn(&mut gs)?;
///
/// let templates = Templates::from_json(r#"{ "guard": { "Health": { "hp": 250 }, "Invincible": {} } }"#)?;
/// let guard = templates.get("guard").ok_or("no guard")?.spawn(&mut gs)?;
/// assert_eq!(gs.healths.iter().map(|(_, health)| health.hp).collect::<Vec<_>>(), [100, 250]);
/// assert!(!gs.entity(first)?.has_invincible() && gs.entity(guard)?.has_invincible());
/// # Ok(())
/// # }
/// ```
pub struct Template<W>(Vec<Box<dyn Part<W>>>);

/// A component of a template.
trait Part<W>: Send + Sync {
    fn name(&self) -> &'static str;
    fn add(&self, entity: &mut EntityMut<'_, W>);
}

impl<W: HasTable<C>, C: Component> Part<W> for C {
    fn name(&self) -> &'static str {
        C::SCHEMA.name
    }

    fn add(&self, entity: &mut EntityMut<'_, W>) {
        entity.add(self.clone());
    }
}

impl<W: GameWorld> Template<W> {
    /// A template without components.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The same template with a component, instead of one of the same type.
    #[must_use]
    pub fn with<C: Component>(mut self, component: C) -> Self
    where
        W: HasTable<C>,
    {
        self.0.retain(|part| part.name() != C::SCHEMA.name);
        self.0.push(Box::new(component));
        self
    }

    /// Creates an entity of the first kind with copies of the components.
    ///
    /// # Errors
    /// When there is no room.
    pub fn spawn(&self, world: &mut W) -> Result<Entity, CreateError> {
        let entity = super::create(world, Kind::default())?;
        // It was just created, so it is alive.
        let _ = self.add_to(world, entity);
        Ok(entity)
    }

    /// Adds copies of the components to an entity, instead of those that it has.
    ///
    /// # Errors
    /// When it is not alive.
    pub fn add_to(&self, world: &mut W, entity: Entity) -> Result<(), NoSuchEntity> {
        let mut entity = EntityMut::new(world, entity)?;
        self.0.iter().for_each(|part| part.add(&mut entity));
        Ok(())
    }

    /// The names of the components.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|part| part.name())
    }
}

impl<W: GameWorld> Default for Template<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: GameWorld> fmt::Debug for Template<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// Templates by name, read from a data file.
///
/// The file maps names of templates to maps of components: `{ "guard": { "Health": { "hp": 250 }, "Invincible": {} } }`.
/// Fields that are left out have their defaults.
#[derive(Debug)]
pub struct Templates<W: GameWorld>(BTreeMap<String, Template<W>>);

/// A file is none of templates. Nothing of it was taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("at line {line}, column {column}{}: {fault}", place(template, component))]
pub struct TemplateError {
    /// The line, from 1: of the last name of a template, a component or a field that was read, or where the text is no
    /// JSON.
    pub line: usize,
    /// The column, from 1: where that ends.
    pub column: usize,
    /// The template, once its name was read.
    pub template: Option<String>,
    /// The component, once its name was read.
    pub component: Option<String>,
    /// What is wrong.
    pub fault: TemplateFault,
}

/// What is wrong with a file of templates.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TemplateFault {
    /// No component is called so.
    #[error("there is no component `{0}`")]
    UnknownComponent(String),
    /// A name is there twice.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// The component has no field that is called so, only these.
    #[error("there is no field `{name}`, {}", only(.1), name = .0)]
    UnknownField(String, &'static [Field]),
    /// A value is outside the range of its field.
    #[error("the value of field `{0}` is outside its range")]
    OutOfRange(&'static str),
    /// The text is no JSON, or a value is of another type: what the reader says.
    #[error("{0}")]
    Data(String),
}

fn only(fields: &[Field]) -> String {
    match fields {
        [] => "there are none".to_owned(),
        _ => format!("only {}", fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")),
    }
}

fn place(template: &Option<String>, component: &Option<String>) -> String {
    let template = template.as_ref().map(|name| format!(", template `{name}`"));
    let component = component.as_ref().map(|name| format!(", component `{name}`"));
    [template, component].into_iter().flatten().collect()
}

impl<W: GameWorld> Templates<W> {
    /// Reads a file in JSON.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn from_json(text: &str) -> Result<Self, TemplateError> {
        let (world, at) = (W::default(), RefCell::new(At::default()));
        let place = Cell::new((1, 0));
        *at.borrow_mut() = At { reader: Some(&place), named: (1, 1), ..At::default() };
        let mut reader =
            serde_json::Deserializer::from_reader(Bytes { left: text.as_bytes(), place: &place });
        let read = File(&world, &at).deserialize(&mut reader).and_then(|all| reader.end().map(|()| all));
        read.map(Self).map_err(|error| {
            let At { template, component, fault, named, .. } = at.into_inner();
            // Where the text is none, the reader knows best; it tells of a wrong value only behind all of its map.
            let (line, column) = match error.classify() {
                Category::Data => named,
                _ => (error.line().max(1), error.column().max(1)),
            };
            let fault = fault.unwrap_or_else(|| TemplateFault::Data(json_reason(&error)));
            TemplateError { line, column, template, component, fault }
        })
    }

    /// The template of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Template<W>> {
        self.0.get(name)
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Where the reader is, and what it found.
#[derive(Default)]
struct At<'r> {
    template: Option<String>,
    component: Option<String>,
    fault: Option<TemplateFault>,
    /// The line and the column up to which the text was read.
    reader: Option<&'r Cell<(usize, usize)>>,
    /// Where the last name of a template, a component or a component's field ended.
    named: (usize, usize),
}

impl At<'_> {
    /// A name was just read.
    fn note_name(&mut self) {
        self.named = self.reader.map_or((1, 1), Cell::get);
    }
}

/// A text, byte by byte, so that its reader's place is known at any time.
struct Bytes<'a> {
    left: &'a [u8],
    /// The line and the column of the last byte that was read.
    place: &'a Cell<(usize, usize)>,
}

impl io::Read for Bytes<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let (Some((&byte, left)), Some(to)) = (self.left.split_first(), to.first_mut()) else { return Ok(0) };
        (*to, self.left) = (byte, left);
        let (line, column) = self.place.get();
        self.place.set(if byte == b'\n' { (line + 1, 0) } else { (line, column + 1) });
        Ok(1)
    }
}

/// Reads the whole file.
struct File<'a, 'r, W>(&'a W, &'a RefCell<At<'r>>);

impl<'de, W: GameWorld> DeserializeSeed<'de> for File<'_, '_, W> {
    type Value = BTreeMap<String, Template<W>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, W: GameWorld> Visitor<'de> for File<'_, '_, W> {
    type Value = BTreeMap<String, Template<W>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of the names of templates")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut all = BTreeMap::new();
        while let Some(name) = from.next_key::<String>()? {
            self.1.borrow_mut().note_name();
            if all.contains_key(&name) {
                return Err(fault(self.1, TemplateFault::Twice(name)));
            }
            self.1.borrow_mut().template = Some(name.clone());
            all.insert(name, from.next_value_seed(One(self.0, self.1))?);
            self.1.borrow_mut().template = None;
        }
        Ok(all)
    }
}

/// Reads one template.
struct One<'a, 'r, W>(&'a W, &'a RefCell<At<'r>>);

impl<'de, W: GameWorld> DeserializeSeed<'de> for One<'_, '_, W> {
    type Value = Template<W>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, W: GameWorld> Visitor<'de> for One<'_, '_, W> {
    type Value = Template<W>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of the names of components")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut template = Template::new();
        while let Some(name) = from.next_key::<String>()? {
            self.1.borrow_mut().note_name();
            if template.names().any(|other| other == name) {
                return Err(fault(self.1, TemplateFault::Twice(name)));
            }
            let id = (0..).zip(W::SCHEMA.components).find(|(_, component)| component.name == name);
            let Some((id, _)) = id else { return Err(fault(self.1, TemplateFault::UnknownComponent(name))) };
            self.1.borrow_mut().component = Some(name);
            let part =
                from.next_value_seed(OnePart { world: self.0, id: super::ComponentId(id), at: self.1 })?;
            template.0.extend(part);
            self.1.borrow_mut().component = None;
        }
        Ok(template)
    }
}

/// Reads one component of a template.
struct OnePart<'a, 'r, W> {
    world: &'a W,
    id: super::ComponentId,
    at: &'a RefCell<At<'r>>,
}

impl<'de, W: GameWorld> DeserializeSeed<'de> for OnePart<'_, '_, W> {
    type Value = Option<Box<dyn Part<W>>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        let mut reading = Reading { from: Some(from), at: self.at, read: None };
        self.world.visit_one(self.id, &mut reading);
        reading.read.transpose()
    }
}

/// A component that is read where its type is known.
struct Reading<'a, 'r, 'de, W, D: Deserializer<'de>> {
    from: Option<D>,
    at: &'a RefCell<At<'r>>,
    read: Option<Result<Box<dyn Part<W>>, D::Error>>,
}

impl<'de, W: GameWorld, D: Deserializer<'de>> Visit<W> for Reading<'_, '_, 'de, W, D> {
    fn table<C: Component>(&mut self, _: &Table<C>)
    where
        W: HasTable<C>,
    {
        let Some(from) = self.from.take() else { return };
        let check = |component: &C, asked: Asked<'_>| {
            let fault = match asked {
                Asked::Name => {
                    self.at.borrow_mut().note_name();
                    None
                }
                Asked::Unknown(name) => Some(TemplateFault::UnknownField(name.to_owned(), C::SCHEMA.fields)),
                Asked::Field(name) => out_of_range(component, Some(name)).map(TemplateFault::OutOfRange),
                Asked::All => out_of_range(component, None).map(TemplateFault::OutOfRange),
            };
            let Some(fault) = fault else { return Ok(()) };
            let text = fault.to_string();
            self.at.borrow_mut().fault = Some(fault);
            Err(text)
        };
        let read = load_fields(C::default(), check, from);
        self.read = Some(read.map(|component| Box::new(component) as Box<dyn Part<W>>));
    }
}

/// The first field, or the one of a name, that the wire would saturate.
fn out_of_range<C: Component>(component: &C, name: Option<&str>) -> Option<&'static str> {
    let mut row = C::Row::ZERO;
    let mut counters = vec![0; C::SCHEMA.sent_fields().count()];
    component.quantize(&mut RowWriter::new(row.words_mut(), &mut counters));
    let fields = C::SCHEMA.sent_fields().zip(counters);
    let saturated = fields.filter(|(_, count)| *count > 0).map(|(field, _)| field.name);
    saturated.into_iter().find(|field| name.is_none_or(|name| name == *field))
}

/// Notes a fault, which the reader then wraps in its own error with the place.
fn fault<E: de::Error>(at: &RefCell<At<'_>>, fault: TemplateFault) -> E {
    let error = E::custom(&fault);
    at.borrow_mut().fault = Some(fault);
    error
}
