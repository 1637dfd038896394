import { readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, posix } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import {
  lowestMajor,
  newestOnNode,
  type NpmRelease,
  type PackageRequest,
  parseNpmPackage,
  pickNpmProgram,
  pickNpmRelease,
  runsOnNode,
} from "../registry/package-request.js";
import { type DownloadSize, shippedPackageSize, sizeWords, viewedSize } from "../registry/download-size.js";
import type { NpmPlan } from "../registry/start-plan.js";
import type { InstallState, Launch } from "./install-state.js";
import { asObject, parsedValue } from "../../base/rpc/json.js";
import { installFailed, remedyFor, usable } from "../../base/node/install-failure.js";
import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { Built, InstallPreview, InstallSource, InstallTools, Release } from "./install-source.js";
import { runnerOf } from "./installed.js";
import { runTool, toolFailed, type ToolRun } from "./run-package-tool.js";

const viewedFields = [
  "name",
  "version",
  "engines",
  "dist-tags",
  "dist.unpackedSize",
  "dependencies",
  "optionalDependencies",
];

interface Viewed {
  readonly release: NpmRelease;
  readonly size: DownloadSize;
}

/**
 * Installs npm packages with the user's npm, so that configured mirrors and logins apply. If npm asks about install scripts (11 and later),
 * allows only the package's own scripts, since some packages download their program in a script; for dependencies, npm's policy applies.
 */
export class NpmSource implements InstallSource {
  readonly #package: PackageRequest;

  constructor(
    private readonly plan: NpmPlan,
    private readonly tools: InstallTools,
  ) {
    this.#package = usable(parseNpmPackage(plan.package));
  }

  async resolve(folder: string, context: InstallContext): Promise<Release> {
    const { release, size } = await this.#view(folder, context);
    const problem = await this.#nodeProblem(release, folder, context.signal);
    if (problem) throw problem;
    return { version: release.version, size };
  }

  async preview(folder: string, context: InstallContext): Promise<InstallPreview> {
    const { release, size } = await this.#view(folder, context);
    const problem = await this.#nodeProblem(release, folder, context.signal);
    const { version, node } = release;
    return { version, size, ...(node !== undefined && { node }), ...(problem && { problem }) };
  }

  async #view(folder: string, { signal, onProgress }: InstallContext): Promise<Viewed> {
    const { name, wanted } = this.#package;
    const asked = wanted === undefined ? name : `${name}@${wanted}`;
    onProgress({ step: "resolve", text: `Asking npm for ${asked}` });
    const run = await this.#npm(["view", asked, ...viewedFields, "--json"], folder, signal);
    const answer = parsedValue(run.stdout);
    if (!run.isSuccess) throw npmFailed(`npm can't find "${asked}"`, run, answer);
    const release = pickNpmRelease(answer);
    if (release === undefined) throw installFailed(`npm can't find "${asked}"`, "no version matches");
    const shipped = shippedPackageSize(name);
    return { release, size: shipped.kind === "unknown" ? viewedSize(answer, release.version) : shipped };
  }

  async build(root: string, release: Release, _state: InstallState, context: InstallContext): Promise<Built> {
    const { name } = this.#package;
    const version = release.version ?? "";
    const asked = `${name}@${version}`;
    context.onProgress({
      step: "download",
      text: `Installing ${asked} with npm, ${sizeWords(release.size ?? { kind: "unknown" })}`,
    });
    // A manifest makes npm treat the folder as a project, regardless of parent folders.
    await writeFile(
      join(root, "package.json"),
      `${JSON.stringify({ private: true, allowScripts: { [name]: true } })}\n`,
    );
    const options = ["--no-save", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error", "--location=project"];
    const run = await this.#npm(["install", "--prefix", root, ...options, "--json", asked], root, context.signal);
    if (!run.isSuccess) throw npmFailed(`npm cannot install "${asked}"`, run, parsedValue(run.stdout));
    const launch = await this.#launch(root);
    if (launch.runner !== "node") return { version, launch };
    return { version, launch: { ...launch, preload: await writeCompileCache(root) } };
  }

  async #launch(root: string): Promise<Launch> {
    const { name } = this.#package;
    const folder = posix.join("node_modules", name);
    const manifest = parsedValue(await readFile(join(root, folder, "package.json"), "utf8"));
    const file = posix.join(folder, usable(pickNpmProgram(manifest, name, this.plan.program)).replaceAll("\\", "/"));
    const runner = await runnerOf(join(root, file), "node");
    return { runner: runner === "node" ? "node" : "self", file };
  }

  /** Checks the installed Node, because an old Node would install an old release, or a release that fails at its first line. */
  async #nodeProblem(
    { version, node }: NpmRelease,
    folder: string,
    signal: AbortSignal,
  ): Promise<SymposiumError | undefined> {
    const command = { command: this.tools.node, args: ["-p", "process.versions.node"], env: {} };
    const own =
      this.tools.node === process.execPath
        ? process.versions.node
        : (await runTool(this.tools.startProcess, "node", command, signal)).stdout.trim();
    if (runsOnNode(node, own)) return undefined;
    return new SymposiumError(
      "unsupported-engine",
      `"${this.#package.name}@${version}" needs Node.js ${node ?? ""}, and "${this.tools.node}" is ${own}.`,
      `Install a Node.js that satisfies "${node ?? ""}" (${nodeInstaller(this.tools.env, node)}), or ${await this.#older(version, own, folder, signal)}.`,
    );
  }

  /** Suggests an older version of the package that supports Node `own`, or another agent if there is no such version. */
  async #older(version: string, own: string, folder: string, signal: AbortSignal): Promise<string> {
    const { name } = this.#package;
    const run = await this.#npm(
      ["view", `${name}@<${version}`, "name", "version", "engines", "--json"],
      folder,
      signal,
    );
    const older = run.isSuccess ? newestOnNode(parsedValue(run.stdout), version, own) : undefined;
    if (older === undefined) return "choose another agent, because no older version of this one runs on your Node.js";
    const description = { id: this.plan.id, distribution: { npx: { package: `${name}@${older}` } } };
    const line = `symposium-acp-agent registry install '${JSON.stringify(description)}'`;
    return `install ${older}, the newest version that runs on your Node.js: \`${line}\``;
  }

  #npm(args: readonly string[], cwd: string, signal: AbortSignal): Promise<ToolRun> {
    const [key = "PATH", path = ""] =
      Object.entries(this.tools.env).find(([name]) => name.toUpperCase() === "PATH") ?? [];
    const env = { [key]: `${dirname(this.tools.node)}${delimiter}${path}`, npm_config_update_notifier: "false" };
    return runTool(this.tools.startProcess, "npm", { command: "npm", args, env, cwd }, signal);
  }
}

/** Suggests how to install Node in the range, with the user's Node version manager or from the Node website. */
function nodeInstaller(env: InstallTools["env"], range: string | undefined): string {
  const major = lowestMajor(range);
  if (major === undefined) return "https://nodejs.org";
  const managers: readonly (readonly [variable: string, line: string])[] = [
    ["FNM_DIR", `fnm install ${major} && fnm default ${major}`],
    ["NVM_DIR", `nvm install ${major} && nvm alias default ${major}`],
    ["NVM_HOME", `nvm install ${major} && nvm use ${major}`],
    ["VOLTA_HOME", `volta install node@${major}`],
    ["MISE_SHELL", `mise use --global node@${major}`],
    ["ASDF_DIR", `asdf install nodejs latest:${major}`],
  ];
  const found = managers.find(([variable]) => (env[variable] ?? "") !== "");
  return found ? `\`${found[1]}\`` : "https://nodejs.org";
}

function npmFailed(subject: string, run: ToolRun, answer: unknown): SymposiumError {
  const error = asObject(asObject(answer)?.["error"]);
  const { code, summary } = error ?? {};
  if (typeof code !== "string" || typeof summary !== "string") return toolFailed(subject, run);
  if (code === "EBADENGINE") {
    return new SymposiumError(
      "unsupported-engine",
      `${subject}: ${summary}`,
      "Install the Node.js version that it requires.",
    );
  }
  return installFailed(subject, `${summary.trim()} (${code})`, remedyFor(`${code} ${summary}`));
}

const file = "compile-cache.cjs";

/** Older Node versions have no compile cache. */
const text = `"use strict";
require("node:module").enableCompileCache?.(require("node:path").join(__dirname, "compile-cache"));
`;

/**
 * Writes a module that stores Node's compile cache in the version's folder, and returns its path. Preloading it makes later starts faster;
 * unlike NODE_COMPILE_CACHE, it isn't inherited by processes that the agent starts.
 */
async function writeCompileCache(root: string): Promise<string> {
  await writeFile(join(root, file), text);
  return file;
}
