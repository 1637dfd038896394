import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.js";
import type { OfferedTool } from "./model-request.js";

/** The values that tool arguments are filled with, by what a property's name suggests. */
export interface ArgumentValues {
  readonly path?: string;
  readonly content?: string;
  readonly command?: string;
}

const suggestions: readonly (readonly [RegExp, keyof ArgumentValues])[] = [
  [/^(file_?path|path|absolute_path|file_?name|target_?file)$/i, "path"],
  [/^(contents?|file_text|new_str(ing)?|text)$/i, "content"],
  [/^(command|cmd|script)$/i, "command"],
];

/** Plausible arguments for `tool` from its JSON schema: what `values` suggests, and a neutral value for the rest that is required. */
export function argumentsFor(tool: OfferedTool, values: ArgumentValues): JsonObject {
  const properties = objectOf(tool.schema["properties"]);
  const required = new Set(arrayOf(tool.schema["required"]).map(stringOf));
  const filled: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const suggested = suggestedValue(name, values);
    if (suggested !== undefined) filled[name] = objectOf(schema)["type"] === "array" ? [suggested] : suggested;
    else if (required.has(name)) filled[name] = neutralValue(name, objectOf(schema));
  }
  return filled;
}

/** A value that satisfies `schema` as far as its `type`, `enum`, `properties` and `required` say. */
export function neutralValue(name: string, schema: JsonObject): unknown {
  const choices = arrayOf(schema["enum"]);
  if (choices.length > 0) return choices[0];
  switch (stringOf(schema["type"]).toLowerCase()) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 1;
    case "array":
      return [];
    case "object":
      return Object.fromEntries(
        Object.entries(objectOf(schema["properties"])).map(([key, member]) => [
          key,
          neutralValue(key, objectOf(member)),
        ]),
      );
    default:
      return `some ${name}`;
  }
}

function suggestedValue(name: string, values: ArgumentValues): string | undefined {
  const suggestion = suggestions.find(([pattern, key]) => pattern.test(name) && values[key] !== undefined);
  return suggestion && values[suggestion[1]];
}
