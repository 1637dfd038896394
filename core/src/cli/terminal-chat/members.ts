import { asObject } from "../../rpc/json.js";

/** A JSON object from the wire: nothing is known of its members. */
export type Members = Readonly<Record<string, unknown>>;

/** A string member; undefined when it is missing or something else. */
export function textMember(object: Members | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === "string" ? value : undefined;
}

/** A finite number member; undefined when it is missing or something else. */
export function numberMember(object: Members | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** An object member; undefined when it is missing or something else. */
export function objectMember(object: Members | undefined, key: string): Members | undefined {
  return asObject(object?.[key]);
}

/** The objects in an array member; what is no object is left out, a missing array is empty. */
export function objectsMember(object: Members | undefined, key: string): readonly Members[] {
  return arrayMember(object, key)
    .map(asObject)
    .filter((item) => item !== undefined);
}

/** The strings in an array member; undefined when it is no array of strings only. */
export function textsMember(object: Members | undefined, key: string): readonly string[] | undefined {
  const value = object?.[key];
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

function arrayMember(object: Members | undefined, key: string): readonly unknown[] {
  const value = object?.[key];
  return Array.isArray(value) ? value : [];
}
