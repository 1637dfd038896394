import type { MergedCatalogues } from "../../agents/registry/node/merged-catalogues.js";
import type { EntryKind } from "../../agents/registry/registry-entry.js";
import { logOption } from "./options.js";
import type { InstallCall } from "./registry/install.js";
import { list } from "./registry/list.js";
import { findEither, findOrInstalled, openRegistry } from "./registry/open-registry.js";
import { warn } from "./output.js";
import { type Install, resolve } from "./registry/resolve.js";
import type { GroupMember, Subcommand } from "./declaration.js";
import { subcommand, subcommandGroup } from "./subcommand.js";

interface RegistryServices {
  readonly install: Install;
}

/** An editor lists entries and then resolves one; within this time, both use the same downloaded list. */
const sessionMs = 10 * 60_000;

const options = {
  extension: { about: "ID is an extension" },
  json: { about: "print the result as one line of JSON" },
  refresh: { about: "fetch the registry again" },
  offline: { about: "use only built-in entries and the last fetched list" },
  ...logOption,
} as const;

const what = { "<WHAT>": "an id, the address of a description, or JSON" } as const;
const id = { "<ID>": "the id of an installed agent or extension" } as const;

interface RegistryCall extends InstallCall {
  readonly isOffline: boolean;
  readonly open: (freshMs?: number) => Promise<MergedCatalogues>;
  readonly services: RegistryServices;
}

interface Verb {
  readonly about: string;
  readonly arguments?: Readonly<Record<string, string>>;
  readonly isHidden?: true;
  run(call: RegistryCall, ...words: readonly string[]): Promise<number>;
}

const installedVersions = () => import("./registry/installed-versions.js");

const verbs: Readonly<Record<string, Verb>> = {
  list: {
    about: "list available agents",
    run: async ({ open, isJson }) => list(await open(), "agent", isJson),
  },
  "list-extensions": {
    about: "list available extensions",
    run: async ({ open, isJson }) => list(await open(), "extension", isJson),
  },
  plan: {
    about: "show what an agent or extension needs to start; installs nothing",
    arguments: what,
    async run(call, text = "") {
      const { plan } = await import("./registry/plan.js");
      return plan(await findOrInstalled(await call.open(), call.kind, text), call.kind, call);
    },
  },
  icons: {
    about: "print the agents' icons, as SVG by id",
    isHidden: true,
    run: async (call) => (await import("./registry/list.js")).icons(await call.open(), call.isOffline),
  },
  install: {
    about: "install an agent or extension, for use with --agent ID or --proxy ID",
    arguments: what,
    async run(call, text = "") {
      const registry = await call.open();
      const { install } = await import("./registry/install.js");
      if (call.kind === "extension") return install(await registry.find("extension", text, warn), "extension", call);
      const { kind, found } = await findEither(registry, text);
      return install(found, kind, call);
    },
  },
  update: {
    about: "update an installed agent or extension, or all",
    arguments: { "[ID]": "an installed id (default: all)" },
    run: updateInstalled,
  },
  installed: {
    about: "list installed agents and extensions, with versions",
    run: async (call) => (await installedVersions()).listInstalled(call),
  },
  pin: {
    about: "pin an installed version, so that updates don't replace it",
    arguments: { ...id, "<VERSION>": "an installed version" },
    run: async (call, name = "", version = "") =>
      (await installedVersions()).changeVersion(name, call, (installer, place) => installer.pin(place, version)),
  },
  unpin: {
    about: "remove a pin",
    arguments: id,
    run: async (call, name = "") =>
      (await installedVersions()).changeVersion(name, call, (installer, place) => installer.unpin(place)),
  },
  rollback: {
    about: "return to the previous version and pin it",
    arguments: id,
    run: async (call, name = "") =>
      (await installedVersions()).changeVersion(name, call, (installer, place) => installer.rollback(place)),
  },
  remove: {
    about: "remove every version",
    arguments: id,
    run: async (call, name = "") => (await installedVersions()).remove(name, call),
  },
  "resolve-agent": {
    about: "print how to start an agent, as one line of JSON; installs what it needs",
    arguments: what,
    run: (call, text = "") => resolveAs("agent", call, text),
  },
  "resolve-extension": {
    about: "print how to start an extension, as one line of JSON; installs what it needs",
    arguments: what,
    run: (call, text = "") => resolveAs("extension", call, text),
  },
  resolve: {
    about: "print how to start an agent or, with --extension, an extension",
    arguments: what,
    isHidden: true,
    run: (call, text = "") => resolveAs(call.kind, call, text),
  },
};

export function registry(services?: RegistryServices): Subcommand {
  const members = Object.entries(verbs).map(([name, verb]): [string, GroupMember] => [
    name,
    {
      about: verb.about,
      load: () => Promise.resolve(verbCommand(name, verb, services)),
      ...(verb.isHidden && { isHidden: true }),
    },
  ]);
  const about = "List, resolve and install agents and extensions.";
  return subcommandGroup({ name: "registry", about, options, members: Object.fromEntries(members) });
}

function verbCommand(name: string, verb: Verb, services: RegistryServices | undefined): Subcommand {
  return subcommand({
    name: `registry ${name}`,
    about: `${verb.about.charAt(0).toUpperCase()}${verb.about.slice(1)}.`,
    ...(verb.arguments && { arguments: verb.arguments }),
    options,
    run: ({ values, positionals }) =>
      verb.run(
        {
          kind: values.extension === true ? "extension" : "agent",
          isJson: values.json === true,
          log: values.log,
          isOffline: values.offline === true,
          open: (freshMs = sessionMs) => openRegistry(values.refresh === true ? 0 : freshMs, values.offline === true),
          services: services ?? withInstallations(values.log),
        },
        ...positionals,
      ),
  });
}

async function resolveAs(kind: EntryKind, { open, services }: RegistryCall, text: string): Promise<number> {
  return resolve(await findOrInstalled(await open(), kind, text), kind, services.install);
}

/** Updates one or all installed entries. Always fetches the current registry list. */
async function updateInstalled(call: RegistryCall, id: string | undefined): Promise<number> {
  const { update } = await import("./registry/update.js");
  return update(await call.open(0), id, call);
}

/** Loads the installer only when something may need installing. */
function withInstallations(log: string | undefined): RegistryServices {
  return {
    install: async (_entry, plan, kind) => (await import("./registry/install.js")).installedStart(plan, kind, log),
  };
}
