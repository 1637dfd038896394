import { join, resolve } from "node:path";
import { Logger } from "../../base/logger.js";
import { invalidArguments } from "../../base/symposium-error.js";
import { describeStarts } from "../../agents/project-starts/agent-starts.js";
import { plainText } from "../../agents/registry/registry-entry.js";
import { Projects } from "../../guard/node/guarded-projects.js";
import { FolderTrust } from "../../settings/trust/folder-trust.js";
import { TrustFile } from "../../settings/trust/node/trust-file.js";
import { isInFolder, type ProjectAnswer, trustingFolder } from "../../settings/trust/trust-record.js";
import { jsonOption } from "./options.js";
import { say, sayResult, warn } from "./output.js";
import { subcommand } from "./subcommand.js";

/**
 * `trust DIR | --remove DIR | --list`, and for editors `trust DIR --question | --allow DIGEST`: manages folders whose code and
 * configuration may run programs, and approved content of project configuration. Prints approved content unabridged.
 */
export const trust = subcommand({
  name: "trust",
  about:
    "Let the code and configuration of a folder run programs: cargo tools, language servers, programs that agents start " +
    "automatically, and the current requests of .symposium/config.jsonc.",
  arguments: { "[DIR]": "the folder to trust, including everything in it" },
  options: {
    list: { about: "list trusted folders, allowed projects and folders that you are never asked about" },
    remove: { about: "stop trusting DIR, and forget the answers about its project" },
    question: { about: "print the requests of DIR's .symposium/config.jsonc as one line of JSON; change nothing" },
    allow: { value: "DIGEST", about: "allow these requests if their digest, as --question prints it, is still DIGEST" },
    ...jsonOption,
  },
  run({ values, positionals: [folder] }) {
    const file = new TrustFile();
    const isAbout = values.question === true || values.allow !== undefined;
    if (isAbout && folder !== undefined && values.list !== true && values.remove !== true) {
      return values.allow === undefined ? question(file, folder) : allow(file, folder, values.allow, values);
    }
    if (values.list === true && folder === undefined && values.remove !== true) return list(file, values);
    if (folder === undefined || values.list === true) {
      throw invalidArguments("trust takes one folder.", usage);
    }
    return values.remove === true ? remove(file, folder, values) : add(file, folder, values);
  },
});

type Shape = Parameters<typeof sayResult>[0];

const usage = "symposium-acp-agent trust DIR, trust --remove DIR, or trust --list.";

async function list(file: TrustFile, as: Shape): Promise<number> {
  const record = await file.read();
  const { folders, refused, projects, components } = record;
  const nameOf = ({ repository, folder }: ProjectAnswer): string =>
    shown(join(repository.replace(/[\\/]\.git$/, ""), folder));
  const lines = [
    ...(folders.length === 0 ? ["No folder is trusted."] : folders.map(shown)),
    ...refused.map((folder) => `Never ask about: ${shown(folder)}`),
    ...components
      .filter(({ file: about, isAllowed }) => isAllowed && about.startsWith("skills of "))
      .map(({ file: about, component }) => `Allowed: ${shown(about)}, sha256 ${shown(component)}`),
    ...projects.map((one) => {
      if (!one.entries)
        return `Nothing from the configuration in ${nameOf(one)} is allowed, and you aren't asked about it.`;
      return `Allowed from the configuration in ${nameOf(one)}: ${shown(Object.keys(one.entries).join(", "))}`;
    }),
  ];
  return sayResult(as, record, lines.join("\n"));
}

async function add(file: TrustFile, folder: string, as: Shape): Promise<number> {
  const real = await file.realPath(folder);
  if (real === undefined) {
    throw invalidArguments(`trust: there is no folder ${folder}.`, usage);
  }
  const projects = projectsOf(file);
  const { approvals } = projects;
  const found = await (await projects.files()).inspect(real);
  for (const line of found?.warnings ?? []) warn(plainText(line, 2_000));
  const asked = found?.asked;
  const changes = asked ? await approvals.changes(asked) : [];
  const starts = await projectsOf(file).agentStarts(real);
  await file.add(real);
  if (asked) await approvals.allow(asked);
  const lines = [
    `${shown(real)} is trusted, including everything in it.`,
    ...starts.map(
      ({ agent, found: own }) => `${agent} automatically starts this in the folder:\n${describeStarts(own)}`,
    ),
    ...(asked && changes.length > 0 ? [`Allowed from ${asked.files.map(shown).join(" and ")}:`, ...changes] : []),
    ...(asked && changes.length === 0
      ? [`${asked.files.map(shown).join(" and ")}: already allowed and unchanged.`]
      : []),
  ];
  return sayResult(as, { trusted: real, starts, allowed: changes }, lines.join("\n"));
}

async function remove(file: TrustFile, folder: string, as: Shape): Promise<number> {
  // A deleted folder can still be removed from the list.
  const real = (await file.realPath(folder)) ?? resolve(folder);
  const found = await (await projectsOf(file).files()).inspect(real);
  if (found?.asked) await file.forgetProject(found.asked.project);
  const record = await file.read();
  for (const project of record.projects) if (isInFolder(project.repository, real)) await file.forgetProject(project);
  const covering = trustingFolder(record, real);
  if (covering !== undefined && covering !== real) {
    const hint = `Run \`symposium-acp-agent trust --remove ${shown(covering)}\`, then trust only the subfolders that you need.`;
    throw invalidArguments(`${shown(real)} is trusted because ${shown(covering)} is.`, hint);
  }
  await file.remove(real);
  return sayResult(as, { removed: real }, `${shown(real)} is not trusted.`);
}

/** Prints the question for editors with their own dialog. `digest` and the question are absent if there is nothing to allow. */
async function question(file: TrustFile, folder: string): Promise<number> {
  const { approvals, found } = await inspected(file, folder);
  const { asked, state = "approved" } = found ?? {};
  const about = asked && { digest: asked.digest, ...(await approvals.question(asked)) };
  return say(JSON.stringify({ state, ...about, warnings: found?.warnings ?? [] }));
}

async function allow(file: TrustFile, folder: string, digest: string, as: Shape): Promise<number> {
  const { approvals, found } = await inspected(file, folder);
  const asked = found?.asked;
  if (asked?.digest !== digest) {
    throw invalidArguments(
      `trust: the configuration in ${shown(folder)} has changed since it was shown. Nothing was allowed.`,
      "Review it again.",
    );
  }
  await approvals.allow(asked);
  const text = `${asked.files.map(shown).join(" and ")}: allowed from the next session.`;
  return sayResult(as, { allowed: asked.files }, text);
}

async function inspected(file: TrustFile, folder: string) {
  const projects = projectsOf(file);
  const { approvals } = projects;
  return { approvals, found: await (await projects.files()).inspect((await file.realPath(folder)) ?? resolve(folder)) };
}

function projectsOf(store: TrustFile): Projects {
  return new Projects({ store, trust: new FolderTrust(store), logger: new Logger(() => undefined) });
}

/** Folder names are untrusted, so control characters are removed for the terminal. */
function shown(folder: string): string {
  return plainText(folder, 4_000);
}
