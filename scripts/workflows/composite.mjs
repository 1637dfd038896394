import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

/** Reads the composite action in `folder`. Returns its steps, its inputs filled from `given`, and its outputs' expressions. */
export async function readComposite(folder, given) {
  const { inputs: declared = {}, outputs = {}, runs } = parse(await readFile(join(folder, "action.yml"), "utf8"));
  if (runs.using !== "composite") throw new Error(`"${runs.using}" actions can't run here.`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) throw new Error(`The action has no input "${unknown}".`);
  const missing = Object.keys(declared).find((name) => declared[name].required === true && !(name in given));
  if (missing !== undefined) throw new Error(`The action requires the input "${missing}".`);
  const inputs = Object.entries(declared).map(([name, { default: fallback = "" }]) => [
    name,
    String(given[name] ?? fallback),
  ]);
  const values = Object.entries(outputs).map(([name, { value }]) => [name, value]);
  return { steps: runs.steps, inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(values) };
}
