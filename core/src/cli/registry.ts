import { SymposiumError } from "../base/symposium-error.js";
import type { AgentRegistry } from "../node/registry/agent-registry.js";
import type { EntryKind } from "../registry/registry-entry.js";
import { parseCommandLine } from "./command-line.js";
import type { InstallCall } from "./registry/install.js";
import { list } from "./registry/list.js";
import { findEither, findOrInstalled, openRegistry } from "./registry/open-registry.js";
import { warn } from "./registry/output.js";
import { type Install, resolve } from "./registry/resolve.js";

/** What the subcommand needs from others. */
export interface RegistryServices {
  readonly install: Install;
}

/** An editor lists and then resolves: both within this time are one session, and the list is fetched once. */
const sessionMs = 10 * 60_000;

const usage =
  "symposium-acp-agent registry list | list-extensions | resolve-agent WHAT | resolve-extension WHAT | " +
  "plan WHAT | install WHAT | update [ID] | installed | pin ID VERSION | unpin ID | rollback ID | remove ID";

const options = {
  json: { type: "boolean" },
  refresh: { type: "boolean" },
  extension: { type: "boolean" },
  log: { type: "string" },
} as const;

/** One call of the subcommand, options read. */
interface Call extends InstallCall {
  readonly open: (freshMs?: number) => Promise<AgentRegistry>;
  readonly services: RegistryServices;
}

/** What a verb does with the words after it; undefined where they are too few or too many. */
type Verb = (words: readonly string[], call: Call) => Promise<number> | undefined;

const installedVersions = () => import("./registry/installed-versions.js");

const verbs: Readonly<Record<string, Verb>> = {
  list: withWords(0, async ({ open, isJson }) => list(await open(), "agent", isJson)),
  "list-extensions": withWords(0, async ({ open, isJson }) => list(await open(), "extension", isJson)),
  resolve: withWords(1, (call, text) => resolveAs(call.kind, call, text)),
  "resolve-agent": withWords(1, (call, text) => resolveAs("agent", call, text)),
  "resolve-extension": withWords(1, (call, text) => resolveAs("extension", call, text)),
  install: withWords(1, async (call, text) => {
    const registry = await call.open();
    const { install } = await import("./registry/install.js");
    if (call.kind === "extension") return install(await registry.find("extension", text, warn), "extension", call);
    const { kind, found } = await findEither(registry, text);
    return install(found, kind, call);
  }),
  plan: withWords(1, async (call, text) => {
    const { plan } = await import("./registry/plan.js");
    return plan(await findOrInstalled(await call.open(), call.kind, text), call.kind, call);
  }),
  update: (words, call) => (words.length <= 1 ? updateInstalled(call, words[0]) : undefined),
  installed: withWords(0, async (call) => (await installedVersions()).listInstalled(call)),
  pin: withWords(2, async (call, name, version) =>
    (await installedVersions()).changeVersion(name, call, (installer, id) => installer.pin(id, version)),
  ),
  unpin: withWords(1, async (call, name) =>
    (await installedVersions()).changeVersion(name, call, (installer, id) => installer.unpin(id)),
  ),
  rollback: withWords(1, async (call, name) =>
    (await installedVersions()).changeVersion(name, call, (installer, id) => installer.rollback(id)),
  ),
  remove: withWords(1, async (call, id) => (await installedVersions()).remove(id, call)),
};

/**
 * `registry VERB`: lists, resolves and installs agents and extensions. WHAT is an id, the address of a description,
 * or JSON. The result is one line of JSON on stdout, except in a terminal; warnings and progress are on stderr.
 */
export async function registry(words: readonly string[], services?: RegistryServices): Promise<number> {
  const { values, positionals } = parseCommandLine("registry", words, options, true);
  const [name = "", ...rest] = positionals;
  const isFresh = values.refresh === true;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  const done = verb?.(rest, {
    kind: values.extension === true ? "extension" : "agent",
    isJson: values.json === true || !process.stdout.isTTY,
    log: values.log,
    open: (freshMs = sessionMs) => openRegistry(isFresh ? 0 : freshMs),
    services: services ?? withInstallations(values.log),
  });
  if (done) return done;
  throw new SymposiumError("invalid-arguments", `${["registry", ...positionals].join(" ")} is not understood.`, usage);
}

async function resolveAs(kind: EntryKind, { open, services }: Call, text: string): Promise<number> {
  return resolve(await findOrInstalled(await open(), kind, text), kind, services.install);
}

/** Somebody who updates wants to know what there is now. */
async function updateInstalled(call: Call, id: string | undefined): Promise<number> {
  const { update } = await import("./registry/update.js");
  return update(await call.open(0), id, call);
}

/** The installer is loaded where something may have to be installed. */
function withInstallations(log: string | undefined): RegistryServices {
  return {
    install: async (_entry, plan, kind) => (await import("./registry/install.js")).installedStart(plan, kind, log),
  };
}

/** A verb that wants exactly `count` words, two at most. */
function withWords(count: 0 | 1 | 2, run: (call: Call, first: string, second: string) => Promise<number>): Verb {
  return (words, call) => {
    const [first = "", second = ""] = words;
    return words.length === count ? run(call, first, second) : undefined;
  };
}
