import type { JsonSchema } from "./argument-check.js";

/** Schema of a tool's arguments; other arguments are refused. */
export function argumentsSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

/** Schema of a text that isn't empty. */
export function textSchema(description: string): JsonSchema {
  return { type: "string", minLength: 1, description };
}

export function textsSchema(description: string): JsonSchema {
  return { type: "array", items: { type: "string" }, description };
}

export function flagSchema(description: string): JsonSchema {
  return { type: "boolean", description };
}

export function integerSchema(minimum: number, description: string, maximum?: number): JsonSchema {
  return { type: "integer", minimum, ...(maximum !== undefined && { maximum }), description };
}

/** Returns a text argument without surrounding white space; undefined if missing or blank. */
export function textArgument(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns a number argument, or `otherwise` if missing. */
export function numberArgument(args: Readonly<Record<string, unknown>>, name: string, otherwise: number): number {
  const value = args[name];
  return typeof value === "number" ? value : otherwise;
}
