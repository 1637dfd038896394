import { packageFault, type SourceKind } from "../package-reader.js";
import { isCoordinate } from "./pom.js";

/** What an import of Java or Kotlin, or the name of an artifact, means. */
export type JvmName =
  | { readonly kind: "artifact"; readonly group: string; readonly artifact: string }
  /** `path` is a class's, with its package: `com/acme/Cart`; its nested types and members are left out. */
  | { readonly kind: "class"; readonly path: string; readonly members: readonly string[] }
  | { readonly kind: "package"; readonly path: string };

/** Throws for what can be no import and no artifact. */
export function parseJvmName(text: string): JvmName {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  const hint =
    'Give an import as in code, such as "com.google.common.collect.ImmutableList", or an artifact as "group:artifact".';
  const coordinates = text.split(":");
  if (coordinates.length > 1) {
    const [group = "", artifact = ""] = coordinates;
    if (coordinates.length > 3 || !coordinates.every(isCoordinate))
      throw packageFault(`${shown} names no artifact.`, hint);
    return { kind: "artifact", group, artifact };
  }
  const plain = text
    .replace(/^import\s+(?:static\s+)?/, "")
    .replace(/\s*;$/, "")
    .replace(/\.\*$/, "");
  const parts = plain.split(".");
  if (parts.length < 2 || plain.length > 500 || !parts.every((part) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(part))) {
    throw packageFault(`${shown} is no import of Java or Kotlin.`, hint);
  }
  // Nothing but habit tells packages from classes, and nearly everybody keeps to it.
  const at = parts.findIndex((part) => /^\p{Lu}/u.test(part));
  if (at === -1) return { kind: "package", path: parts.join("/") };
  return { kind: "class", path: parts.slice(0, at + 1).join("/"), members: parts.slice(at + 1) };
}

/** The kind of a file of an artifact or of its sources, by its path in it. */
export function jvmKindOf(path: string): SourceKind {
  if (path.endsWith(".class")) return "built";
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (/\.(?:md|adoc|txt|html)$/i.test(file) || /^(?:licen[cs]e|notice|readme|changelog)/i.test(file)) return "docs";
  if (/(?:^|\/)src\/test\//.test(path) || /Tests?\.(?:java|kt)$/.test(file)) return "tests";
  return /\.(?:java|kts?|groovy|scala)$/.test(file) ? "source" : "other";
}
