import { packageFault } from "../package-reader.js";

type ImportName =
  | { readonly kind: "package"; readonly name: string; readonly subpath: string }
  | { readonly kind: "builtin"; readonly name: string };

const builtins = new Set(
  (
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http " +
    "http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys " +
    "timers tls trace_events tty url util v8 vm wasi worker_threads zlib"
  ).split(" "),
);
const builtinParts = new Set(["promises", "posix", "win32", "strict", "types", "web", "consumers"]);
const nameForm = /^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*$/;

/** Whether npm can read the text only as the name of a registry package, not as a path, URL or alias. */
export function isPackageName(text: string): boolean {
  return text.length <= 214 && nameForm.test(text);
}

/** Parses a JavaScript import or an npm package name. Throws if it's neither. */
export function parseImport(text: string): ImportName {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  if (/^node:[\w/]+$/.test(text)) return { kind: "builtin", name: text.slice("node:".length) };
  if (/^(?:\.{0,2}\/|\.{1,2}$|[A-Za-z]:[\\/]|file:)/.test(text)) {
    throw packageFault(`${shown} is a file, not a package.`, "Read the file itself; packages are imported by name.");
  }
  if (text.startsWith("#")) {
    const hint = "Look it up under `imports` of the package.json above the importing file.";
    throw packageFault(`${shown} is a private import of the package that uses it.`, hint);
  }
  const parts = text.replace(/^npm:/, "").split("/");
  const count = text.startsWith("@") ? 2 : 1;
  const name = parts.slice(0, count).join("/");
  const rest = parts.slice(count);
  const isSafe = rest.every(
    (part, index) => part !== ".." && part !== "." && (part !== "" || index === rest.length - 1),
  );
  if (!isPackageName(name) || !isSafe || /[\0\\]/.test(text)) {
    const hint = 'Give an import as in code, such as "zod" or "@scope/name/part".';
    throw packageFault(`${shown} isn't a package name.`, hint);
  }
  // As in Node, the slash in `punycode/` selects the package instead of the built-in module.
  if (builtins.has(name) && (rest[0] === undefined || builtinParts.has(rest[0])))
    return { kind: "builtin", name: parts.join("/") };
  return { kind: "package", name, subpath: rest.join("/") };
}

/** Returns the name of the package that contains the types of an untyped package. */
export function typesPackageOf(name: string): string {
  return `@types/${name.startsWith("@") ? name.slice(1).replace("/", "__") : name}`;
}
