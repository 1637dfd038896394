import { Json } from "../src/base/rpc/json.js";

/** A string member of an object; undefined when it is missing or not a string. */
export function stringMember(json: Json | undefined, key: string): string | undefined {
  const value = json?.object?.[key];
  return typeof value === "string" ? value : undefined;
}

/** An object member of an object; undefined when it is missing or not an object. */
export function objectMember(json: Json | undefined, key: string): Readonly<Record<string, unknown>> | undefined {
  return Json.of(json?.object?.[key]).object;
}

/** The elements of an array member; none when it is missing or not an array. */
export function arrayMember(json: Json | undefined, key: string): Json[] {
  const value = json?.object?.[key];
  return Array.isArray(value) ? value.map((element: unknown) => Json.of(element)) : [];
}
