import { invalidArguments, SymposiumError } from "../../../base/symposium-error.js";
import { findPlugins } from "../../../context/node/found-plugins.js";
import { type Machine, products } from "../../../context/servers/formats/server-files.js";
import type { ImportCandidate } from "../../../context/servers/import-candidates.js";
import { secretName } from "../../../context/servers/node/expand-launch.js";
import { findImports } from "../../../context/servers/node/find-imports.js";
import { thisMachine } from "../../../context/servers/node/find-servers.js";
import { importDigest } from "../../../context/servers/node/import-digest.js";
import { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { withServer } from "../../../settings/server-edit.js";
import { readSoundConfig } from "../../read-user-config.js";
import { editUserServers } from "../../../context/servers/node/servers-in-config.js";
import { chooseOne, chooseSeveral } from "../choices.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";
import { foundJson, foundText, type ShownCandidate } from "./import-view.js";
import { missingValues } from "./missing-values.js";

/** Returns the plugins that are installed for the user, without plugins installed for a single project. */
async function userPlugins({ home, env }: Machine): Promise<NonNullable<Machine["plugins"]>> {
  const found = await findPlugins({ roots: [], home, env, instructionFiles: [] });
  return found.map(({ name, folder, form: { readBy } }) => ({ name, folder, readBy }));
}

/**
 * `mcp import`: finds MCP servers of other products and writes the chosen ones to config.jsonc. Asks in a terminal; otherwise only lists
 * them unless options choose. Starts nothing and writes no other file.
 */
export const importServers = subcommand({
  name: "mcp import",
  about:
    "Find the MCP servers that you have set up elsewhere, and import those that you choose. Reads " +
    `${Object.values(products).join(", ")}. Doesn't start servers or change other programs' files.`,
  options: {
    all: { about: "import all your servers; name this project's with --server" },
    from: {
      value: "PRODUCT",
      multiple: true,
      about: `import your servers of one product, repeatable: ${Object.keys(products).join(", ")}`,
    },
    server: { value: "NAME", multiple: true, about: "import this server; repeatable" },
    digest: {
      value: "DIGEST",
      multiple: true,
      about: "import only servers with this digest, as --json showed it; one per server",
    },
    "literal-secrets": { about: "copy secrets unchanged, instead of storing them for ${secret:NAME}" },
    "editor-folder": {
      value: "FOLDER",
      about: "the folder of mcp.json in an editor based on VS Code",
    },
    "dry-run": { about: "show what would be imported; write nothing" },
    json: { about: "print found or imported servers as one line of JSON" },
  },
  async run({ values }) {
    const secretFile = new SecretFile();
    const { servers = [] } = (await readSoundConfig()) ?? {};
    const editorFolder = values["editor-folder"];
    const here = thisMachine(process.cwd());
    const machine = { ...here, plugins: await userPlugins(here), ...(editorFolder !== undefined && { editorFolder }) };
    const found = await findImports(machine, servers, secretFile);
    const candidates = found.candidates.filter(({ isKnown }) => !isKnown);
    const shown = await Promise.all(
      candidates.map(async (candidate): Promise<ShownCandidate> => {
        const isMoved = new Set(candidate.secrets.map(({ name }) => `\${secret:${name}}`));
        const missing = await missingValues(candidate.server, secretFile);
        return { candidate, missing: missing.filter((name) => !isMoved.has(name)) };
      }),
    );
    const named = chosenByOptions(candidates, values);
    if (values.digest) refuseChanged(named, values.digest);
    const isAsked =
      !named && values.json !== true && values["dry-run"] !== true && process.stdin.isTTY && process.stdout.isTTY;
    const text =
      values.json === true
        ? JSON.stringify(foundJson(found, named ? shown.filter(({ candidate }) => named.includes(candidate)) : shown))
        : foundText(found, shown);
    if (!named && !isAsked) {
      const hint =
        values.json === true || candidates.length === 0
          ? ""
          : "\n\nImport them with --all, --from PRODUCT or --server NAME.";
      return say(`${text}${hint}`);
    }
    if (values.json !== true) await say(`${text}\n`);
    if (candidates.length === 0) return 0;
    const answer = named
      ? { chosen: named, movesSecrets: values["literal-secrets"] !== true }
      : await ask(candidates, secretFile);
    if (answer.chosen.length === 0) return say("Nothing was imported.");
    const names = answer.chosen.map(({ server }) => server.name).join(", ");
    if (values["dry-run"] === true)
      return say(values.json === true ? text : `Would import: ${names}. Nothing was written.`);
    const file = await take(answer.chosen, answer.movesSecrets, secretFile);
    return say(
      values.json === true ? text : `Imported ${names} into ${file}. Agents get them from their next session.`,
    );
  },
});

interface Choice {
  readonly all?: true;
  readonly from?: readonly string[];
  readonly server?: readonly string[];
}

/**
 * Returns the servers that options choose; undefined if no option chooses any. Project servers can run untrusted commands, so an option
 * must name them explicitly.
 */
function chosenByOptions(
  candidates: readonly ImportCandidate[],
  { all, from, server }: Choice,
): readonly ImportCandidate[] | undefined {
  if (all === undefined && from === undefined && server === undefined) return undefined;
  const unknown = from?.find((product) => !Object.hasOwn(products, product));
  if (unknown !== undefined) {
    throw invalidArguments(
      `mcp import: there is no product "${unknown}".`,
      `Known: ${Object.keys(products).join(", ")}.`,
    );
  }
  const absent = server?.find((name) => !candidates.some((one) => isNamed(one, name)));
  if (absent !== undefined) {
    throw invalidArguments(
      `mcp import: there is no server "${absent}" to import.`,
      "Run `symposium-acp-agent mcp import --dry-run` to list them.",
    );
  }
  return candidates.filter((one) => {
    if (server?.some((name) => isNamed(one, name))) return true;
    if (one.scope !== "user") return false;
    return all === true || from?.some((product) => one.places.some((place) => place.product === product)) === true;
  });
}

/** Rejects servers whose files changed since the user chose them. */
function refuseChanged(chosen: readonly ImportCandidate[] | undefined, digests: readonly string[]): void {
  if (!chosen) {
    throw invalidArguments("mcp import: --digest requires --server.", "Name the servers with --server NAME.");
  }
  const changed = chosen.filter((one) => !digests.includes(importDigest(one))).map(({ server }) => `"${server.name}"`);
  if (changed.length === 0) return;
  throw invalidArguments(
    `mcp import: ${changed.join(", ")} ${changed.length === 1 ? "has changed since it was" : "have changed since they were"} shown.`,
    "Nothing was written. Check what the servers start now, and choose again.",
  );
}

function isNamed({ server }: ImportCandidate, name: string): boolean {
  return server.name === name;
}

interface ImportAnswer {
  readonly chosen: readonly ImportCandidate[];
  readonly movesSecrets: boolean;
}

async function ask(candidates: readonly ImportCandidate[], secretFile: SecretFile): Promise<ImportAnswer> {
  const options = candidates.map((candidate) => ({ value: candidate, label: plainText(candidate.server.name) }));
  const chosen = await chooseSeveral(
    "Which servers? Press Space to select, Enter to import the selected ones.",
    options,
  );
  const count = chosen.reduce((sum, { secrets }) => sum + secrets.length, 0);
  if (count === 0) return { chosen, movesSecrets: true };
  const question = `${count === 1 ? "A secret is" : `${count} secrets are`} in these files. Where should Symposium store secrets?`;
  const movesSecrets = await chooseOne(question, [
    { value: true, label: `In ${secretFile.path}; config.jsonc contains only names` },
    { value: false, label: "In config.jsonc, as plain text" },
  ]);
  return movesSecrets === undefined ? { chosen: [], movesSecrets: true } : { chosen, movesSecrets };
}

/**
 * Writes secrets before the configuration, so that the configuration never refers to a missing secret. Writes nothing until the edit is
 * certain to be accepted.
 */
async function take(
  chosen: readonly ImportCandidate[],
  movesSecrets: boolean,
  secretFile: SecretFile,
): Promise<string> {
  return editUserServers(async (text, file, servers) => {
    const taken = chosen.find(({ server }) => servers.some(({ name }) => name === server.name));
    if (taken) {
      throw new SymposiumError(
        "invalid-config",
        `A server "${taken.server.name}" was just added to ${file}.`,
        "config.jsonc was not changed. Run `symposium-acp-agent mcp import` again.",
      );
    }
    const changed = chosen.reduce(
      (edited, { server, literal }) => withServer(edited, movesSecrets ? server : literal, file),
      text,
    );
    if (movesSecrets) {
      for (const { secrets } of chosen)
        for (const { name, value } of secrets) await secretFile.set(secretName(name), value);
    }
    return changed;
  });
}
