import { packageFault } from "../package-reader.js";

/** Whether a package index can read the text only as a distribution name, not as a path, URL or option. */
export function isDistributionName(text: string): boolean {
  return text.length <= 200 && /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/.test(text);
}

/** Parsed name in a question: a dotted module, and the part that may be a distribution name. */
export interface PythonName {
  /** Parts of the dotted module name; empty if the text can't be a module name. */
  readonly module: readonly string[];
  readonly distribution: string | undefined;
}

/** Parses `yaml`, `google.cloud.storage`, or a distribution name such as `ruamel.yaml` or `python-dateutil`. */
export function parsePythonName(text: string): PythonName {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  if (text.startsWith(".")) {
    throw packageFault(`${shown} is relative: a module of the same package.`, "Read the file itself.");
  }
  // Remove extras such as `[socks]`, which only install additional distributions.
  const plain = text.replace(/\[[\w\s,.-]*\]$/, "");
  const isModule = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u.test(plain) && plain.length <= 300;
  const distribution = isDistributionName(plain) ? plain : undefined;
  if (!isModule && distribution === undefined) {
    const hint = 'Give an import as in code, such as "yaml" or "google.cloud.storage", or the name of a distribution.';
    throw packageFault(`${shown} isn't a Python module or distribution.`, hint);
  }
  return { module: isModule ? plain.split(".") : [], distribution };
}
