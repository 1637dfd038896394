import type { ProjectStarts, StartsOff } from "./project-start.js";
import { asObject, parsedObject } from "../../base/rpc/json.js";
import { visibleJson } from "../../settings/component-command-text.js";
import { canonicalJson } from "../../settings/project/approved-content.js";

export interface AgentStart {
  readonly file: string;
  /** Dotted key of the entry, such as `mcpServers.docs`. Empty if the agent runs the file itself, or if the file can't be read. */
  readonly key: string;
  readonly value: unknown;
}

/** Lists the entries of a parsed file under `members` that start something or change rules. */
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

export function describeStarts(starts: readonly AgentStart[]): string {
  return starts
    .map(({ file, key, value }) => {
      const [place, name] = [visibleJson(file).slice(1, -1), visibleJson(key).slice(1, -1)];
      return key === "" ? `- ${place}` : `- ${place}: ${name} ${visibleJson(value)}`;
    })
    .join("\n");
}

interface SwitchedOff {
  readonly variables: Readonly<Record<string, string>>;
  readonly remaining: readonly AgentStart[];
}

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
  // JavaScript drops a `__proto__` member when objects are merged, here and in adapters.
  const named = starts.filter(({ key }) => key.startsWith(prefix) && key !== `${prefix}__proto__`);
  const remaining = starts.filter((start) => !named.includes(start));
  if (named.length === 0) return { variables: {}, remaining };
  const own = objectIn(text);
  // Never replace a value that the user set but that can't be parsed.
  if (!own) return { variables: {}, remaining: starts };
  const members = { ...asObject(own[member]) };
  for (const { key } of named) {
    const name = key.slice(prefix.length);
    members[name] = { ...asObject(members[name]), ...value };
  }
  return { variables: { [variable]: canonicalJson({ ...own, [member]: members }) }, remaining };
}

function objectIn(text = ""): Readonly<Record<string, unknown>> | undefined {
  return text.trim() === "" ? {} : parsedObject(text);
}

/** Returns the entries of `found` that the agent still starts if its process runs with `env`. */
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
  const [own, other] = [objectIn(present), objectIn(wanted)];
  return present !== undefined && own !== undefined && canonicalJson(own) === canonicalJson(other);
}
