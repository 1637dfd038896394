import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { objectOf, parseObject, stringOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";

/** A project whose packages are asked for. */
export interface PackageProject {
  readonly ecosystem: "npm" | "Python" | "Go";
  readonly folder: string;
  /** The importing file, from the folder on. */
  readonly from: string;
  /** Variables that locate the imported packages if they aren't in the folder. */
  readonly env: Readonly<Record<string, string>>;
  /** How the answer has to begin, by what is asked. */
  readonly answers: ReadonlyMap<string, string>;
  /** How many packages there are to choose from. */
  readonly count: number;
}

const mostAsked = 60;
/** Of what is made here. */
const made = 600;
/** Modules that one of Go requires itself; the others come from those. */
const direct = 60;

const numbers = Array.from({ length: made }, (_, index) => index);

/** This repository. */
export async function npmProject(): Promise<PackageProject> {
  const lock = objectOf(parseObject(await readFile(join(repositoryRoot, "package-lock.json"), "utf8"))["packages"]);
  const names = Object.keys(lock).flatMap((key) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(key)?.[1] ?? []);
  const answers = new Map<string, string>();
  for (const name of names) {
    if (answers.size === mostAsked) break;
    const manifest = await readFile(join(repositoryRoot, "node_modules", name, "package.json"), "utf8").catch(
      () => "{}",
    );
    const { name: own, version } = parseObject(manifest);
    if (own === name) answers.set(`${name}/`, `${name} ${stringOf(version)} (npm)`);
  }
  return { ecosystem: "npm", folder: repositoryRoot, from: "package.json", env: {}, answers, count: names.length };
}

/** A project in `folder` with distributions in an environment of its own, as an installer leaves them, and their lock. */
export async function pythonProject(folder: string): Promise<PackageProject> {
  const site = ".venv/lib/python3.11/site-packages";
  const name = (at: number): string => `shelf-${at}`;
  const module = (at: number): string => `shelf_${at}`;
  const version = (at: number): string => `1.${at}.0`;
  const wanted = numbers.slice(0, mostAsked).map((at) => `"${name(at)}>=1"`);
  const files: Record<string, string> = {
    "pyproject.toml": `[project]\nname = "shop"\nversion = "1.0"\ndependencies = [${wanted.join(", ")}]\n`,
    "uv.lock": `version = 1\n\n${numbers.map((at) => `[[package]]\nname = "${name(at)}"\nversion = "${version(at)}"\n`).join("\n")}`,
    "shop.py": numbers.map((at) => `import ${module(at)}\n`).join(""),
    ".venv/pyvenv.cfg": "home = /usr/bin\nversion_info = 3.11.7\n",
  };
  for (const at of numbers) {
    const info = `${site}/${module(at)}-${version(at)}.dist-info`;
    const sources = ["__init__.py", "prices.py", "py.typed"].map((file) => `${module(at)}/${file}`);
    files[`${info}/METADATA`] = `Metadata-Version: 2.4\nName: ${name(at)}\nVersion: ${version(at)}\n\n# ${name(at)}\n`;
    files[`${info}/RECORD`] = `${sources.map((file) => `${file},sha256=x,1`).join("\n")}\n`;
    files[`${info}/INSTALLER`] = "uv\n";
    for (const file of sources) files[`${site}/${file}`] = "def price() -> int: ...\n";
  }
  await write(folder, files);
  const asked = numbers.slice(0, mostAsked).map((at) => [module(at), `${name(at)} ${version(at)} (python)`] as const);
  return { ecosystem: "Python", folder, from: "shop.py", env: {}, answers: new Map(asked), count: made };
}

/** A module in `folder` and the modules that it gets by its graph, in a module cache. */
export async function goProject(folder: string): Promise<PackageProject> {
  const path = (at: number): string => `lib.example/shelf${at}`;
  const version = (at: number): string => `v1.${at}.0`;
  const requires = (some: readonly number[]): string =>
    `require (\n${some.map((at) => `\t${path(at)} ${version(at)}\n`).join("")})\n`;
  const firsts = numbers.slice(0, direct);
  const files: Record<string, string> = {
    // Before 1.17 a go.mod does not say what comes from others: all their go.mod are read.
    "project/go.mod": `module shop.example/shop\n\ngo 1.16\n\n${requires(firsts)}`,
    "project/go.sum": numbers.map((at) => `${path(at)} ${version(at)} h1:x=\n`).join(""),
    "project/main.go": `package main\n\nimport (\n${numbers.map((at) => `\t_ "${path(at)}/shelf"\n`).join("")})\n`,
  };
  for (const at of numbers) {
    const others = at < direct ? numbers.filter((other) => other >= direct && other % direct === at) : [];
    const mod = `module ${path(at)}\n\ngo 1.16\n\n${requires(others)}`;
    files[`cache/cache/download/${path(at)}/@v/${version(at)}.mod`] = mod;
    files[`cache/${path(at)}@${version(at)}/go.mod`] = mod;
    files[`cache/${path(at)}@${version(at)}/shelf/shelf.go`] = "package shelf\n\nfunc Price() int { return 1 }\n";
  }
  await write(folder, files);
  // From all over the graph.
  const some = numbers.filter((at) => at % (made / mostAsked) === 0);
  const asked = some.map((at) => [`${path(at)}/shelf`, `${path(at)} ${version(at)} (go)`] as const);
  const env = { GOMODCACHE: join(folder, "cache"), GOFLAGS: "", GOWORK: "off", GOTOOLCHAIN: "local" };
  return {
    ...{ ecosystem: "Go", folder: join(folder, "project"), from: "main.go", env },
    ...{ answers: new Map(asked), count: made },
  };
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
