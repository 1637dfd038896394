import type { ProjectStarts, StartsOff } from "./project-start.js";
import { asObject } from "../../base/rpc/json.js";
import { visibleJson } from "../../settings/what-runs.js";
import { canonicalJson } from "../../settings/project/approved-content.js";

/** Something that an agent starts by itself, or takes for a rule of its own, because a folder says so. */
export interface AgentStart {
  /** The file or folder that says so; absolute. */
  readonly file: string;
  /** Such as `mcpServers.docs`; empty for a file that is run, or cannot be read. */
  readonly key: string;
  readonly value: unknown;
}

/** What a file's value starts, by the members that count. */
export function startsIn(file: string, value: unknown, members: readonly string[]): readonly AgentStart[] {
  return members.flatMap((member): readonly AgentStart[] => {
    const found = member.split(".").reduce<unknown>((at, name) => {
      const object = asObject(at);
      return object && Object.hasOwn(object, name) ? object[name] : undefined;
    }, value);
    if (found === undefined || found === null || found === false) return [];
    const inner = asObject(found);
    if (!inner) return [{ file, key: member, value: found }];
    return Object.entries(inner).map(([name, one]) => ({ file, key: `${member}.${name}`, value: one }));
  });
}

/** Lines for people: everything that would start, with nothing hidden. */
export function describeStarts(starts: readonly AgentStart[]): string {
  return starts
    .map(({ file, key, value }) => {
      const [place, name] = [visibleJson(file).slice(1, -1), visibleJson(key).slice(1, -1)];
      return key === "" ? `- ${place}` : `- ${place}: ${name} ${visibleJson(value)}`;
    })
    .join("\n");
}

/** How a process of an agent is kept from starting it, and what it starts all the same. */
interface SwitchedOff {
  /** Variables of the process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly remaining: readonly AgentStart[];
}

/** `env` are the variables that the agent has otherwise. */
export function switchedOff(
  { off }: ProjectStarts,
  starts: readonly AgentStart[],
  env: (name: string) => string | undefined,
): SwitchedOff {
  switch (off.kind) {
    case "session":
      return { variables: {}, remaining: [] };
    case "environment":
      return {
        variables: starts.length === 0 ? {} : off.variables,
        remaining: starts.filter(({ file, key }) => off.exceptions.test(`${file.replaceAll("\\", "/")}#${key}`)),
      };
    case "config":
      return inConfig(off, starts, env(off.variable));
  }
}

function inConfig(
  { variable, member, value }: Extract<StartsOff, { kind: "config" }>,
  starts: readonly AgentStart[],
  text: string | undefined,
): SwitchedOff {
  const prefix = `${member}.`;
  // JavaScript drops a member of that name where objects are put together, here and in adapters.
  const named = starts.filter(({ key }) => key.startsWith(prefix) && key !== `${prefix}__proto__`);
  const remaining = starts.filter((start) => !named.includes(start));
  if (named.length === 0) return { variables: {}, remaining };
  const own = parsedObject(text);
  // What the user has written there is not for us to replace.
  if (!own) return { variables: {}, remaining: starts };
  const members = { ...asObject(own[member]) };
  for (const { key } of named) {
    const name = key.slice(prefix.length);
    members[name] = { ...asObject(members[name]), ...value };
  }
  return { variables: { [variable]: canonicalJson({ ...own, [member]: members }) }, remaining };
}

function parsedObject(text = ""): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === "") return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What a process started with `env` would start in a folder where this is found, and cannot be kept from any more. */
export function stillStarting(
  starts: ProjectStarts,
  found: readonly AgentStart[],
  env: (name: string) => string | undefined,
): readonly AgentStart[] {
  const { variables, remaining } = switchedOff(starts, found, env);
  const isSet = Object.entries(variables).every(([name, value]) => sameVariable(env(name), value));
  return isSet ? remaining : found;
}

function sameVariable(present: string | undefined, wanted: string): boolean {
  if (present === wanted) return true;
  const [own, other] = [parsedObject(present), parsedObject(wanted)];
  return present !== undefined && own !== undefined && canonicalJson(own) === canonicalJson(other);
}
