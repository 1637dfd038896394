import * as z from "zod/mini";

const foundServer = z.object({
  name: z.string(),
  /** Of all that is shown of it: what it is taken by. */
  digest: z.string(),
  entry: z.looseObject({
    command: z.optional(z.string()),
    args: z.optional(z.array(z.string())),
    url: z.optional(z.string()),
    env: z.optional(z.record(z.string(), z.string())),
    headers: z.optional(z.record(z.string(), z.string())),
    enabled: z.optional(z.boolean()),
  }),
  places: z.array(z.object({ productName: z.string(), path: z.string(), name: z.string() })),
  scope: z.enum(["user", "folder", "project"]),
  secrets: z.array(z.object({ name: z.string(), where: z.string() })),
  differs: z.optional(z.object({ from: z.string(), keys: z.array(z.string()) })),
  agents: z.array(z.string()),
  missing: z.array(z.string()),
  notes: z.array(z.string()),
});

/** What `symposium-acp-agent mcp import --json` prints: servers of other products that could be imported. */
export const foundServersSchema = z.object({
  servers: z.array(foundServer),
  problems: z.array(z.object({ path: z.string(), problem: z.string() })),
});

export type FoundServers = z.infer<typeof foundServersSchema>;
export type FoundServer = FoundServers["servers"][number];

/** Headings of the list, in its order, by whose the servers are. */
export const scopeHeadings = {
  user: "Yours",
  folder: "Yours, for one folder there, and for every folder here",
  project: "Of this project: written by whoever wrote it, so look at what they start",
} as const satisfies Readonly<Record<FoundServer["scope"], string>>;

/** One server as a line of the list. */
interface ServerLine {
  readonly label: string;
  /** The products that have it, and what is to be known before it is taken. */
  readonly description: string;
  /** What it starts or which address it has, and what else comes with it. */
  readonly detail: string;
}

/** Characters of a detail that every list has room for: it cuts off what is longer. */
const maxDetail = 70;

/** Everything that decides whether to take a server, with nothing hidden but its secrets. */
export function serverLine(server: FoundServer): ServerLine {
  const { name, entry, places, secrets, differs, agents } = server;
  const products = [...new Set(places.map(({ productName }) => productName))];
  const facts = [
    products.join(", "),
    ...(entry.enabled === false ? ["switched off there, and so here"] : []),
    ...(differs ? [`differs from ${differs.from} in ${differs.keys.join(", ")}`] : []),
    ...(agents.length > 0 ? [`${agents.join(", ")} has it already`] : []),
    ...(secrets.length > 0 ? [`a secret stands there as it is: ${secrets.map(({ where }) => where).join(", ")}`] : []),
  ];
  return { label: plain(name), description: plain(facts.join(" · ")), detail: detailsOf(server).join(" · ") };
}

/** A server whose detail the list cuts off, in full: a line of its name, and one for each part. Undefined where it fits. */
export function fullText(server: FoundServer): string | undefined {
  if (serverLine(server).detail.length <= maxDetail) return undefined;
  return [plain(server.name), ...detailsOf(server)].join("\n");
}

function detailsOf({ entry, missing, notes }: FoundServer): readonly string[] {
  const all = [
    startOf(entry),
    ...settingsOf(entry),
    ...(missing.length > 0 ? [`no value yet: ${missing.join(", ")}`] : []),
    ...notes,
  ];
  return all.map(plain);
}

function startOf({ command, args = [], url }: FoundServer["entry"]): string {
  if (command === undefined) return url ?? "neither a command nor an address";
  return [command, ...args].map(quoted).join(" ");
}

/** What is not shown as a key and its value. */
const shownApart: ReadonlySet<string> = new Set(["command", "args", "url", "env", "headers", "enabled"]);

/** With the values, for they decide what runs, too: `NODE_OPTIONS=--require ./x.js`. Those that are secrets are variables. */
function settingsOf(entry: FoundServer["entry"]): readonly string[] {
  const { command, url, env = {}, headers = {} } = entry;
  const others = Object.entries(entry).filter(([key]) => !shownApart.has(key));
  return [
    ...(command !== undefined && url !== undefined ? [`url ${url}`] : []),
    ...Object.entries(env).map(([name, value]) => `env ${name}=${quoted(value)}`),
    ...Object.entries(headers).map(([name, value]) => `header ${name}: ${quoted(value)}`),
    ...others.map(([key, value]) => `${key} ${quoted(value)}`),
  ];
}

/** So that no value looks like several, or like another part. */
function quoted(value: unknown): string {
  return typeof value === "string" && /^[^\s'"]+$/.test(value) ? value : JSON.stringify(value);
}

/** Neither icons of the editor nor lines, which a file could use to look like something else. */
function plain(text: string): string {
  return text.replaceAll("$(", "$ (").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
