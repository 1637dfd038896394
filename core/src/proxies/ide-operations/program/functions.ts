import { ideFunctions } from "./ide-functions.js";
import { listFunctions } from "./list-functions.js";
import type { ProgramFunction } from "./program-function.js";

/** Every function, in the order in which the help lists them. */
export const programFunctions: readonly ProgramFunction[] = [...ideFunctions, ...listFunctions];

const byName: ReadonlyMap<string, ProgramFunction> = new Map(programFunctions.map((one) => [one.name, one]));

/** The function of a name; also as other tools spell it, such as `findReferences` or `find_definition`. */
export function functionNamed(name: string): ProgramFunction | undefined {
  const exact = byName.get(name);
  if (exact) return exact;
  const plain = name
    .toLowerCase()
    .replaceAll("_", "")
    .replace(/^(?:find|get)/, "");
  return byName.get(plain) ?? byName.get(`${plain}s`) ?? byName.get(plain.replace(/s$/, ""));
}
