import { resolve } from "node:path";
import { SymposiumError } from "../base/symposium-error.js";
import { TrustFile } from "../trust/node.js";
import { plainText } from "../registry/registry-entry.js";
import { trustingFolder } from "../trust/trust-record.js";
import { say } from "./registry/output.js";
import { subcommand } from "./subcommand.js";

/** `trust DIR | --remove DIR | --list`: the folders whose code and configuration may run programs. A line each on stdout. */
export const trust = subcommand({
  name: "trust",
  about: "Let the code and configuration of a folder run programs: cargo tools, language servers, and what they start.",
  arguments: { "[DIR]": "the folder; all that is in it is trusted, too" },
  options: {
    list: { about: "print the folders that are trusted" },
    remove: { about: "trust DIR no longer" },
  },
  run({ values, positionals: [folder] }) {
    const file = new TrustFile();
    if (values.list === true && folder === undefined && values.remove !== true) return list(file);
    if (folder === undefined || values.list === true) {
      throw new SymposiumError("invalid-arguments", "trust takes one folder.", usage);
    }
    return values.remove === true ? remove(file, folder) : add(file, folder);
  },
});

const usage = "symposium-acp-agent trust DIR, trust --remove DIR, or trust --list.";

async function list(file: TrustFile): Promise<number> {
  const { folders } = await file.read();
  return say(folders.length === 0 ? "No folder is trusted." : folders.map(shown).join("\n"));
}

async function add(file: TrustFile, folder: string): Promise<number> {
  const real = await file.realPath(folder);
  if (real === undefined) {
    throw new SymposiumError("invalid-arguments", `trust: there is no folder ${folder}.`, usage);
  }
  await file.add(real);
  return say(`${shown(real)} is trusted, with all that is in it.`);
}

async function remove(file: TrustFile, folder: string): Promise<number> {
  // One that is gone can still be taken out of the list.
  const real = (await file.realPath(folder)) ?? resolve(folder);
  const covering = trustingFolder(await file.read(), real);
  if (covering !== undefined && covering !== real) {
    const hint = `Run \`symposium-acp-agent trust --remove ${shown(covering)}\`, and trust the folders in it that you mean.`;
    throw new SymposiumError("invalid-arguments", `${shown(real)} is trusted because ${shown(covering)} is.`, hint);
  }
  await file.remove(real);
  return say(`${shown(real)} is not trusted.`);
}

/** Names of folders may hold anything: a terminal gets no more than text. */
function shown(folder: string): string {
  return plainText(folder, 4_000);
}
