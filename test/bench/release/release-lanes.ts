import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "../../support/packages/install-package.js";
import { repositoryRoot } from "../../support/repository.js";
import { gzippedBytes, nodeExecutable } from "./node-executable.js";
import { otherNode } from "./other-node.js";
import { bytesOf, must, type ReleasePackages, releaseCache, releasePackages, unpack } from "./packages.js";
import { programAt } from "../lanes.js";
import { orNoted, type ReleaseLane } from "./release-lane.js";

const [major = ""] = process.versions.node.split(".", 1);
/** The lane of a program that does nothing but answer: what Node itself takes. */
export const bareNode = `bare Node ${major}`;
/** The lane of the npm package as it is started for the first time. */
export const npmPackage = `npm package, Node ${major}`;
const oldestNode = "20.20.2";
const script = "bin/symposium-acp-agent.cjs";

/** Every form in which the command is released, and the single executable of Node that it could be. */
export async function releaseLanes(note: (text: string) => void): Promise<readonly ReleaseLane[]> {
  const packages = await orNoted("what npm run package makes", releasePackages, note);
  const made = [
    ...(packages ? await packagedLanes(packages, note) : []),
    await orNoted("Node's single executable", nodeExecutableLane, note),
  ];
  return made.filter((lane) => lane !== undefined);
}

async function packagedLanes(
  packages: ReleasePackages,
  note: (text: string) => void,
): Promise<readonly (ReleaseLane | undefined)[]> {
  const prefix = join(releaseCache, "npm");
  const installed = join(prefix, "node_modules", "symposium-acp-agent");
  const forNpm = await orNoted(
    "the npm package",
    async () => {
      await rm(prefix, { recursive: true, force: true });
      await mkdir(prefix, { recursive: true });
      await must([...npm(), "install", "--offline", "--no-audit", "--no-fund", "--prefix", prefix, packages.npm]);
      return { download: await bytesOf(packages.npm), disk: await bytesOf(installed) };
    },
    note,
  );
  // Symposium's configuration folder, in which Node stores compiled code during the warm-up.
  const usedFolder = join(releaseCache, "used-folder");
  await mkdir(usedFolder, { recursive: true });
  const exec = [...npm(), "exec", "--yes", "--offline", "--prefix", prefix, "--", "symposium-acp-agent"];
  return [
    await orNoted("the executable", () => executableLane(packages.archive), note),
    { name: bareNode, words: ["node", programAt("bare-program.js")] },
    forNpm && { name: npmPackage, words: ["node", join(installed, script)], ...forNpm },
    forNpm &&
      (await orNoted(
        `Node ${oldestNode}`,
        async () => ({ name: "npm package, Node 20", words: [await otherNode(oldestNode), join(installed, script)] }),
        note,
      )),
    forNpm && {
      name: `${npmPackage}, started before`,
      words: ["node", join(installed, script)],
      env: { SYMPOSIUM_CONFIG_DIR: usedFolder },
    },
    forNpm && { name: `npm exec, Node ${major}`, words: exec, isWrapped: true },
    {
      name: `vsix, Node ${major}`,
      // Files that `npm run package` has just put into the vsix.
      words: ["node", join(repositoryRoot, "vscode-extension", script)],
      download: await bytesOf(packages.vsix),
      disk: await bytesOf(join(repositoryRoot, "vscode-extension", "bin")),
    },
  ];
}

async function executableLane(archive: string): Promise<ReleaseLane> {
  const folder = join(releaseCache, "executable");
  await unpack(archive, folder);
  const name = (await readdir(folder)).find((file) => file.startsWith("symposium-acp-agent")) ?? "";
  const program = join(folder, name);
  return {
    name: "executable (Bun)",
    words: [program],
    download: await bytesOf(archive),
    disk: await bytesOf(program),
  };
}

async function nodeExecutableLane(): Promise<ReleaseLane> {
  const program = await nodeExecutable();
  return {
    name: "executable (Node 26 SEA)",
    words: [program],
    download: await gzippedBytes(program),
    disk: await bytesOf(program),
  };
}
