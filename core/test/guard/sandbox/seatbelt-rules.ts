import type { SeatbeltProfile } from "../../../src/guard/sandbox/seatbelt-profile.js";

type Expression = string | readonly Expression[];

/** Operation of a program on a path. */
interface Operation {
  readonly name: string;
  readonly path: string;
}

/**
 * Reads a profile as macOS documents it: the last rule for an operation holds, `file-write*` is each operation that begins so, and
 * `default` is every one. It knows the filters for paths alone; others never fit.
 */
export function isAllowed({ text, parameters }: SeatbeltProfile, operation: Operation): boolean {
  let isFree = false;
  for (const [effect, ...rest] of rulesOf(text)) {
    const names = rest.filter((each) => typeof each === "string");
    const filters = rest.filter((each) => typeof each !== "string");
    if (!names.some((name) => covers(name, operation.name))) continue;
    if (filters.length > 0 && !filters.some((filter) => fits(filter, operation.path, parameters))) continue;
    isFree = effect === "allow";
  }
  return isFree;
}

/** The rules of a profile; throws where its brackets or strings do not end. */
export function rulesOf(text: string): readonly (readonly Expression[])[] {
  const words = text.match(/#"[^"]*"|"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? [];
  let at = 0;
  const read = (): Expression => {
    const word = words[at++];
    if (word === undefined || word === ")") throw new Error(`word ${at} of the profile ends what was not begun`);
    if (word !== "(") return word;
    const list: Expression[] = [];
    while (words[at] !== ")") list.push(read());
    at++;
    return list;
  };
  const all: Expression[] = [];
  while (at < words.length) all.push(read());
  return all.filter((each): each is readonly Expression[] => Array.isArray(each)).slice(1);
}

function covers(pattern: string, name: string): boolean {
  return pattern === "default" || pattern === name || (pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1)));
}

function fits(filter: Expression, path: string, parameters: SeatbeltProfile["parameters"]): boolean {
  if (typeof filter === "string") return false;
  const [kind, ...given] = filter;
  const value = (one: Expression | undefined): string => {
    if (one === undefined) return "";
    if (typeof one === "string") return one.replace(/^#?"|"$/g, "");
    return parameters[String(one[1]).slice(1, -1)] ?? "";
  };
  switch (kind) {
    case "literal":
      return given.some((one) => value(one) === path);
    case "subpath":
      return given.some((one) => path === value(one) || path.startsWith(`${value(one)}/`));
    case "regex":
      return given.some((one) => new RegExp(value(one), "s").test(path));
    case "require-all":
      return given.every((one) => fits(one, path, parameters));
    // Of a rule about connections.
    case "local":
    case "remote":
      return given[0] === "unix-socket" && given.slice(1).some((one) => fits(one, path, parameters));
    case "require-not":
      return !given.some((one) => fits(one, path, parameters));
    default:
      return false;
  }
}
