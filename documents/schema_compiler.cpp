#include "documents/schema_node.hpp"

#include "core/percent.hpp"
#include "documents/exact_number.hpp"
#include "documents/pointer.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace holdfast::documents {

using nlohmann::json;

namespace {

struct type_name {
  std::string_view name;
  std::uint8_t bits;
};
constexpr std::array<type_name, 7> type_table{{
    {"null", null_type},
    {"boolean", boolean_type},
    {"object", object_type},
    {"array", array_type},
    {"number", number_type},
    {"string", string_type},
    {"integer", integer_type},
}};

class compiler {
public:
  compiler(const json& source, std::string place, std::vector<core::definition_problem>& problems,
           std::vector<std::unique_ptr<schema_node>>& nodes)
      : source_(source), place_(std::move(place)), problems_(problems), nodes_(nodes) {}

  void compile() {
    if (source_.is_object())
      if (const auto version = source_.find("$schema"); version != source_.end())
        is_draft7_ = is_draft(*version, draft7);
    subschema(source_, "");
    // Targets are compiled when all else is, so that a schema may refer to itself.
    while (!references_.empty() && problems_.empty()) {
      const auto [node, pointer] = references_.back();
      references_.pop_back();
      node->target = target_of(pointer);
    }
    if (problems_.empty())
      refuse_idle_cycles();
  }

private:
  using keyword_reader = void (compiler::*)(schema_node&, const json&, const std::string&);
  struct keyword {
    std::string_view name;
    keyword_reader read;
  };
  static const std::vector<keyword>& keywords();

  void problem(const std::string& pointer, std::string what) {
    problems_.push_back({place_ + pointer, std::move(what)});
  }

  schema_node::ref subschema(const json& source, const std::string& pointer) {
    if (const auto known = compiled_.find(pointer); known != compiled_.end())
      return known->second;
    if (nodes_.size() == schema::subschemas_max) {
      if (!too_many_reported_)
        problem("", "has more than " + std::to_string(schema::subschemas_max) + " subschemas");
      too_many_reported_ = true;
      return nullptr;
    }
    nodes_.push_back(std::make_unique<schema_node>());
    auto& node = *nodes_.back();
    compiled_.emplace(pointer, &node);
    if (source.is_boolean())
      node.never = !source.get<bool>();
    else if (source.is_object())
      read_keywords(node, source, pointer);
    else
      problem(pointer, "must be a schema: an object, true or false");
    return &node;
  }

  // -- drafts ------------------------------------------------------------------------------------

  static constexpr std::string_view draft7 = "//json-schema.org/draft-07/schema";
  static constexpr std::string_view draft2020 = "//json-schema.org/draft/2020-12/schema";

  static bool is_draft(const json& version, std::string_view draft) {
    return version.is_string()
           && version.get_ref<const std::string&>().find(draft) != std::string::npos;
  }

  /// Keywords that others write and that would check something, with the advice for each.
  static std::string advice_for(std::string_view name) {
    if (name == "nullable")
      return "is of OpenAPI 3.0: give a type with null, as in {\"type\": [\"string\", \"null\"]}";
    if (name == "unevaluatedProperties" || name == "unevaluatedItems")
      return "is not checked here; write additionalProperties or items in each alternative";
    if (name == "$anchor" || name == "$dynamicAnchor" || name == "$dynamicRef"
        || name == "$recursiveAnchor" || name == "$recursiveRef")
      return "is not supported here; point with $ref to a place, as '#/$defs/label' does";
    return {};
  }

  void read_keywords(schema_node& node, const json& source, const std::string& pointer) {
    const auto& table = keywords();
    for (auto member = source.begin(); member != source.end(); ++member) {
      const auto& name = member.key();
      const auto place = child(pointer, name);
      const auto known = std::find_if(table.begin(), table.end(),
                                      [&](const keyword& k) { return k.name == name; });
      if (known == table.end()) {
        if (const auto advice = advice_for(name); !advice.empty())
          problem(place, advice);
        else if (name.compare(0, 2, "x-") != 0)
          problem(place, "is not a keyword of JSON Schema" + suggestion_for(name)
                             + " (members of your own begin with x-)");
      } else if (known->read != nullptr) {
        (this->*known->read)(node, member.value(), place);
      }
    }
    if (source.contains("prefixItems")) { // what `items` says is of the elements behind those
      node.further_elements = node.each_element;
      node.each_element = nullptr;
      if (source.contains("additionalItems"))
        problem(child(pointer, "additionalItems"), "is said by items beside prefixItems");
    }
  }

  static std::string suggestion_for(const std::string& name) {
    std::vector<std::string_view> names;
    for (const auto& k : keywords())
      names.push_back(k.name);
    return suggestion(name, names);
  }

  // -- what keywords have for a value ------------------------------------------------------------

  std::string child(const std::string& pointer, std::string_view token) {
    auto place = pointer;
    append_token(place, token);
    return place;
  }

  std::optional<std::string> text(const json& value, const std::string& pointer) {
    if (value.is_string())
      return value.get<std::string>();
    problem(pointer, "must be a string");
    return std::nullopt;
  }

  std::optional<number_bound> bound(const json& value, const std::string& pointer) {
    if (is_number(value))
      return number_bound{decimal_in(value), number_in(value), value.is_binary()};
    problem(pointer, "must be a number");
    return std::nullopt;
  }

  void count(const json& value, const std::string& pointer, std::uint64_t& into) {
    const auto n = value.is_number() ? number_in(value) : number{-1};
    if (n < 0 || n > 1e15L || std::floor(n) != n)
      problem(pointer, "must be a whole number from 0 to 1000000000000000");
    else
      into = static_cast<std::uint64_t>(n);
  }

  std::vector<std::string> names(const json& value, const std::string& pointer) {
    std::vector<std::string> list;
    if (!value.is_array()) {
      problem(pointer, "must be a list of member names");
      return list;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      if (const auto name = text(value[i], child(pointer, std::to_string(i))))
        list.push_back(*name);
    return list;
  }

  std::vector<schema_node::ref> schemas(const json& value, const std::string& pointer) {
    std::vector<schema_node::ref> list;
    if (!value.is_array() || value.empty()) {
      problem(pointer, "must be a list of at least one schema");
      return list;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      list.push_back(subschema(value[i], child(pointer, std::to_string(i))));
    return list;
  }

  bool object(const json& value, const std::string& pointer) {
    if (!value.is_object())
      problem(pointer, "must be an object");
    return value.is_object();
  }

  std::optional<pattern> expression(const std::string& value, const std::string& pointer) {
    auto compiled = pattern::compile(value);
    if (compiled)
      return std::move(*compiled);
    problem(pointer, compiled.error().detail);
    return std::nullopt;
  }

  // -- keywords ----------------------------------------------------------------------------------

  void read_type(schema_node& node, const json& value, const std::string& pointer) {
    const auto add = [&](const json& name, const std::string& place) {
      const auto text_of = name.is_string() ? name.get<std::string>() : std::string{};
      const auto* known = std::find_if(type_table.begin(), type_table.end(),
                                       [&](const type_name& t) { return t.name == text_of; });
      if (known != type_table.end()) {
        node.types = static_cast<std::uint8_t>(node.types | known->bits);
        return;
      }
      std::vector<std::string_view> all;
      for (const auto& t : type_table)
        all.push_back(t.name);
      problem(place, "must be one of null, boolean, object, array, number, string, integer"
                         + suggestion(text_of, all));
    };
    if (!value.is_array()) {
      add(value, pointer);
      return;
    }
    if (value.empty())
      problem(pointer, "must name at least one type");
    for (std::size_t i = 0; i < value.size(); ++i)
      add(value[i], child(pointer, std::to_string(i)));
  }

  void read_enum(schema_node& node, const json& value, const std::string& pointer) {
    if (!value.is_array() || value.empty()) {
      problem(pointer, "must be a list of at least one value");
      return;
    }
    std::vector<std::string> allowed;
    for (const auto& v : value)
      allowed.push_back(canonical_text(v));
    restrict_values(node, std::move(allowed));
  }

  void read_const(schema_node& node, const json& value, const std::string&) {
    restrict_values(node, {canonical_text(value)});
  }

  /// `enum` and `const` in one schema allow what both allow.
  void restrict_values(schema_node& node, std::vector<std::string> allowed) {
    std::sort(allowed.begin(), allowed.end());
    if (node.one_of_values) {
      std::vector<std::string> both;
      std::set_intersection(allowed.begin(), allowed.end(), node.one_of_values->begin(),
                            node.one_of_values->end(), std::back_inserter(both));
      allowed = std::move(both);
    }
    node.one_of_values = std::move(allowed);
  }

  void read_minimum(schema_node& node, const json& value, const std::string& pointer) {
    node.minimum = bound(value, pointer);
  }
  void read_maximum(schema_node& node, const json& value, const std::string& pointer) {
    node.maximum = bound(value, pointer);
  }
  void read_exclusive_minimum(schema_node& node, const json& value, const std::string& pointer) {
    node.exclusive_minimum = bound(value, pointer);
  }
  void read_exclusive_maximum(schema_node& node, const json& value, const std::string& pointer) {
    node.exclusive_maximum = bound(value, pointer);
  }
  void read_multiple_of(schema_node& node, const json& value, const std::string& pointer) {
    node.multiple_of = bound(value, pointer);
    if (node.multiple_of && node.multiple_of->exact <= core::decimal{})
      problem(pointer, "must be greater than 0");
  }

  void read_min_length(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.characters.least);
  }
  void read_max_length(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.characters.most);
  }
  void read_pattern(schema_node& node, const json& value, const std::string& pointer) {
    if (const auto source = text(value, pointer))
      node.matching = expression(*source, pointer);
  }
  void read_format(schema_node& node, const json& value, const std::string& pointer) {
    const auto name = text(value, pointer);
    if (!name)
      return;
    node.format = format_named(*name);
  }

  void read_min_items(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.elements.least);
  }
  void read_max_items(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.elements.most);
  }
  void read_unique_items(schema_node& node, const json& value, const std::string& pointer) {
    if (value.is_boolean())
      node.unique = value.get<bool>();
    else
      problem(pointer, "must be true or false");
  }
  void read_items(schema_node& node, const json& value, const std::string& pointer) {
    if (!value.is_array())
      node.each_element = subschema(value, pointer);
    else
      read_leading(node, value, pointer);
  }
  void read_prefix_items(schema_node& node, const json& value, const std::string& pointer) {
    if (node.leading_elements)
      problem(pointer, "excludes a list as items: both say the same");
    else if (!value.is_array() || value.empty())
      problem(pointer, "must be a list of at least one schema");
    else
      read_leading(node, value, pointer);
  }
  void read_leading(schema_node& node, const json& value, const std::string& pointer) {
    node.leading_elements.emplace();
    for (std::size_t i = 0; i < value.size(); ++i)
      node.leading_elements->push_back(subschema(value[i], child(pointer, std::to_string(i))));
  }
  void read_additional_items(schema_node& node, const json& value, const std::string& pointer) {
    node.further_elements = subschema(value, pointer);
  }
  void read_contains(schema_node& node, const json& value, const std::string& pointer) {
    node.contained = subschema(value, pointer);
  }
  void read_min_contains(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.contained_elements.least);
  }
  void read_max_contains(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.contained_elements.most);
  }

  void read_min_properties(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.members.least);
  }
  void read_max_properties(schema_node& node, const json& value, const std::string& pointer) {
    count(value, pointer, node.members.most);
  }
  void read_required(schema_node& node, const json& value, const std::string& pointer) {
    node.required = names(value, pointer);
  }
  void read_properties(schema_node& node, const json& value, const std::string& pointer) {
    if (!object(value, pointer))
      return;
    for (const auto& [name, source] : value.items())
      node.properties.emplace(name, subschema(source, child(pointer, name)));
  }
  void read_pattern_properties(schema_node& node, const json& value, const std::string& pointer) {
    if (!object(value, pointer))
      return;
    for (const auto& [source, member] : value.items()) {
      const auto place = child(pointer, source);
      if (auto compiled = expression(source, place))
        node.pattern_properties.emplace_back(std::move(*compiled), subschema(member, place));
    }
  }
  void read_additional_properties(schema_node& node, const json& value,
                                  const std::string& pointer) {
    node.other_properties = subschema(value, pointer);
  }
  void read_property_names(schema_node& node, const json& value, const std::string& pointer) {
    node.member_names = subschema(value, pointer);
  }
  void read_dependencies(schema_node& node, const json& value, const std::string& pointer) {
    if (!object(value, pointer))
      return;
    for (const auto& [name, needed] : value.items()) {
      const auto place = child(pointer, name);
      if (needed.is_array())
        node.requires_members.emplace_back(name, names(needed, place));
      else
        node.requires_schema.emplace_back(name, subschema(needed, place));
    }
  }

  void read_dependent_required(schema_node& node, const json& value, const std::string& pointer) {
    if (object(value, pointer))
      for (const auto& [name, needed] : value.items())
        node.requires_members.emplace_back(name, names(needed, child(pointer, name)));
  }
  void read_dependent_schemas(schema_node& node, const json& value, const std::string& pointer) {
    if (object(value, pointer))
      for (const auto& [name, needed] : value.items())
        node.requires_schema.emplace_back(name, subschema(needed, child(pointer, name)));
  }

  void read_all_of(schema_node& node, const json& value, const std::string& pointer) {
    node.all_of = schemas(value, pointer);
  }
  void read_any_of(schema_node& node, const json& value, const std::string& pointer) {
    node.any_of = schemas(value, pointer);
  }
  void read_one_of(schema_node& node, const json& value, const std::string& pointer) {
    node.one_of = schemas(value, pointer);
  }
  void read_not(schema_node& node, const json& value, const std::string& pointer) {
    node.none_of = subschema(value, pointer);
  }
  void read_if(schema_node& node, const json& value, const std::string& pointer) {
    node.condition = subschema(value, pointer);
  }
  void read_then(schema_node& node, const json& value, const std::string& pointer) {
    node.consequence = subschema(value, pointer);
  }
  void read_else(schema_node& node, const json& value, const std::string& pointer) {
    node.alternative = subschema(value, pointer);
  }

  void read_ref(schema_node& node, const json& value, const std::string& pointer) {
    node.target_alone = is_draft7_;
    const auto target = text(value, pointer);
    if (!target)
      return;
    if (target->empty() || target->front() != '#')
      problem(pointer, "must point into this schema, as '#/$defs/label' does; other "
                       "documents are not fetched");
    else
      references_.push_back({&node, {pointer, target->substr(1)}});
  }

  void read_id(schema_node&, const json& value, const std::string& pointer) {
    text(value, pointer);
    if (pointer != "/$id")
      problem(pointer, "may stand only at the root of a schema");
  }

  void read_schema(schema_node&, const json& value, const std::string& pointer) {
    if (text(value, pointer) && !is_draft(value, draft7) && !is_draft(value, draft2020))
      problem(pointer,
              "must be https://json-schema.org/draft/2020-12/schema or "
              "http://json-schema.org/draft-07/schema#, the drafts that are understood here");
  }

  void read_definitions(schema_node&, const json& value, const std::string& pointer) {
    // Compiled even where nothing refers to them, so that their mistakes are found.
    if (object(value, pointer))
      for (const auto& [name, source] : value.items())
        subschema(source, child(pointer, name));
  }

  // -- references --------------------------------------------------------------------------------

  struct reference {
    std::string pointer; ///< Where `$ref` stands.
    std::string target;  ///< What it says, behind the `#`.
  };

  schema_node::ref target_of(const reference& from) {
    const auto target = core::percent_decoded(from.target);
    const bool is_text = target && first_invalid_utf8(*target) == std::string::npos;
    const auto pointer = is_text ? json_pointer::parse(*target) : std::nullopt;
    if (!pointer) {
      problem(from.pointer, "must be a JSON pointer behind '#', as in '#/$defs/label'");
      return nullptr;
    }
    const auto* found = pointer->find(source_);
    if (found == nullptr) {
      problem(from.pointer, "points to nothing in this schema");
      return nullptr;
    }
    return subschema(*found, *target);
  }

  /// Refuses subschemas that come back to themselves for the very same value, like
  /// `{"allOf": [{"$ref": "#"}]}`: checking them would never end.
  void refuse_idle_cycles() {
    enum class mark : std::uint8_t { unseen, open, done };
    std::map<schema_node::ref, mark> marks;
    struct visit {
      schema_node::ref node;
      std::vector<schema_node::ref> next;
    };
    for (const auto& root : nodes_) {
      if (marks[root.get()] != mark::unseen)
        continue;
      std::vector<visit> path;
      const auto enter = [&](schema_node::ref node) {
        marks[node] = mark::open;
        path.push_back({node, for_same_value(*node)});
      };
      enter(root.get());
      while (!path.empty()) {
        if (path.back().next.empty()) {
          marks[path.back().node] = mark::done;
          path.pop_back();
          continue;
        }
        const auto next = path.back().next.back();
        path.back().next.pop_back();
        if (marks[next] == mark::open) {
          problem(pointer_of(next), "refers to itself without going down into the value");
          return;
        }
        if (marks[next] == mark::unseen)
          enter(next);
      }
    }
  }

  static std::vector<schema_node::ref> for_same_value(const schema_node& node) {
    std::vector<schema_node::ref> all{node.target, node.none_of, node.condition, node.consequence,
                                      node.alternative};
    for (const auto* list : {&node.all_of, &node.any_of, &node.one_of})
      all.insert(all.end(), list->begin(), list->end());
    for (const auto& [name, needed] : node.requires_schema)
      all.push_back(needed);
    all.erase(std::remove(all.begin(), all.end(), nullptr), all.end());
    return all;
  }

  std::string pointer_of(schema_node::ref node) const {
    for (const auto& [pointer, known] : compiled_)
      if (known == node)
        return pointer;
    return {};
  }

  const json& source_;
  const std::string place_;
  std::vector<core::definition_problem>& problems_;
  std::vector<std::unique_ptr<schema_node>>& nodes_;
  std::map<std::string, schema_node*> compiled_; ///< By pointer.
  std::vector<std::pair<schema_node*, reference>> references_;
  bool too_many_reported_ = false;
  bool is_draft7_ = false; ///< By `$schema`.
};

const std::vector<compiler::keyword>& compiler::keywords() {
  static const std::vector<keyword> table{
      {"$ref", &compiler::read_ref},
      {"$id", &compiler::read_id},
      {"$schema", &compiler::read_schema},
      {"$comment", nullptr},
      {"title", nullptr},
      {"description", nullptr},
      {"default", nullptr},
      {"examples", nullptr},
      {"readOnly", nullptr},
      {"writeOnly", nullptr},
      {"contentEncoding", nullptr},
      {"contentMediaType", nullptr},
      {"contentSchema", nullptr},
      {"deprecated", nullptr},
      // Annotations of OpenAPI.
      {"discriminator", nullptr},
      {"example", nullptr},
      {"externalDocs", nullptr},
      {"xml", nullptr},
      {"definitions", &compiler::read_definitions},
      {"$defs", &compiler::read_definitions}, // its name from draft 2019-09 on
      {"type", &compiler::read_type},
      {"enum", &compiler::read_enum},
      {"const", &compiler::read_const},
      {"minimum", &compiler::read_minimum},
      {"maximum", &compiler::read_maximum},
      {"exclusiveMinimum", &compiler::read_exclusive_minimum},
      {"exclusiveMaximum", &compiler::read_exclusive_maximum},
      {"multipleOf", &compiler::read_multiple_of},
      {"minLength", &compiler::read_min_length},
      {"maxLength", &compiler::read_max_length},
      {"pattern", &compiler::read_pattern},
      {"format", &compiler::read_format},
      {"minItems", &compiler::read_min_items},
      {"maxItems", &compiler::read_max_items},
      {"uniqueItems", &compiler::read_unique_items},
      {"items", &compiler::read_items},
      {"additionalItems", &compiler::read_additional_items},
      {"prefixItems", &compiler::read_prefix_items},
      {"contains", &compiler::read_contains},
      {"minContains", &compiler::read_min_contains},
      {"maxContains", &compiler::read_max_contains},
      {"minProperties", &compiler::read_min_properties},
      {"maxProperties", &compiler::read_max_properties},
      {"required", &compiler::read_required},
      {"properties", &compiler::read_properties},
      {"patternProperties", &compiler::read_pattern_properties},
      {"additionalProperties", &compiler::read_additional_properties},
      {"propertyNames", &compiler::read_property_names},
      {"dependencies", &compiler::read_dependencies},
      {"dependentRequired", &compiler::read_dependent_required},
      {"dependentSchemas", &compiler::read_dependent_schemas},
      {"allOf", &compiler::read_all_of},
      {"anyOf", &compiler::read_any_of},
      {"oneOf", &compiler::read_one_of},
      {"not", &compiler::read_not},
      {"if", &compiler::read_if},
      {"then", &compiler::read_then},
      {"else", &compiler::read_else},
  };
  return table;
}

} // namespace

schema::schema(std::unique_ptr<const compiled> content) : compiled_(std::move(content)) {}
schema::schema(schema&&) noexcept = default;
schema& schema::operator=(schema&&) noexcept = default;
schema::~schema() = default;

std::optional<schema> schema::compile(const json& source, const std::string& place,
                                      std::vector<core::definition_problem>& problems) {
  auto content = std::make_unique<compiled>();
  std::vector<core::definition_problem> found;
  compiler{source, place, found, content->nodes}.compile();
  if (!found.empty()) {
    problems.insert(problems.end(), found.begin(), found.end());
    return std::nullopt;
  }
  return schema{std::move(content)};
}

} // namespace holdfast::documents
