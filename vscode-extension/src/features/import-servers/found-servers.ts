import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";

const foundServer = z.object({
  name: z.string(),
  /** Digest of everything shown about the server. An import names the digest, so that exactly the shown entry is imported. */
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

/** Output of `symposium-acp-agent mcp import --json`: other products' servers that can be imported. */
export const foundServersSchema = z.object({
  servers: z.array(foundServer),
  problems: z.array(z.object({ path: z.string(), problem: z.string() })),
});

export type FoundServers = z.infer<typeof foundServersSchema>;
export type FoundServer = FoundServers["servers"][number];

export const scopeHeadings = {
  user: l10n.t("Yours"),
  folder: l10n.t("Yours: for one folder there, for every folder here"),
  project: l10n.t("From this project: written by its authors, so check what these servers start"),
} as const satisfies Readonly<Record<FoundServer["scope"], string>>;

interface ServerLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Maximum characters of a detail that a list shows without cutting. */
const maxDetail = 70;

export function serverLine(server: FoundServer): ServerLine {
  const { name, entry, places, secrets, differs, agents } = server;
  const products = [...new Set(places.map(({ productName }) => productName))];
  const facts = [
    products.join(", "),
    ...(entry.enabled === false ? [l10n.t("off there, and therefore off here")] : []),
    ...(differs ? [l10n.t("differs from {0} in {1}", differs.from, differs.keys.join(", "))] : []),
    ...(agents.length > 0 ? [l10n.t("already in {0}", agents.join(", "))] : []),
    ...(secrets.length > 0 ? [l10n.t("secrets in plain text: {0}", secrets.map(({ where }) => where).join(", "))] : []),
  ];
  return { label: plain(name), description: plain(facts.join(" · ")), detail: detailsOf(server).join(" · ") };
}

/** Returns a server's full text, one part per line, if the list would cut its detail; otherwise undefined. */
export function fullText(server: FoundServer): string | undefined {
  if (serverLine(server).detail.length <= maxDetail) return undefined;
  return [plain(server.name), ...detailsOf(server)].join("\n");
}

function detailsOf({ entry, missing, notes }: FoundServer): readonly string[] {
  const all = [
    startOf(entry),
    ...settingsOf(entry),
    ...(missing.length > 0 ? [l10n.t("missing values: {0}", missing.join(", "))] : []),
    ...notes,
  ];
  return all.map(plain);
}

function startOf({ command, args = [], url }: FoundServer["entry"]): string {
  if (command === undefined) return url ?? l10n.t("no command or address");
  return [command, ...args].map(quoted).join(" ");
}

/** Keys that the list already shows in another form than `key: value`. */
const shownApart: ReadonlySet<string> = new Set(["command", "args", "url", "env", "headers", "enabled"]);

/** Includes values, since they can decide what runs: `NODE_OPTIONS=--require ./x.js`. Secret values are variable references. */
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

/** Quotes a value, so that it can't look like several values or another part. */
function quoted(value: unknown): string {
  return typeof value === "string" && /^[^\s'"]+$/.test(value) ? value : JSON.stringify(value);
}

/** Removes icon syntax and line breaks, with which a file could imitate other entries. */
function plain(text: string): string {
  return text.replaceAll("$(", "$ (").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}
