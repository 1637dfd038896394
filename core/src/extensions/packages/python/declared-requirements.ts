import { parse } from "smol-toml";
import { asObject, stringsOf } from "../../../base/rpc/json.js";
import { joined, type PackageFiles, ReadOnce, upwards } from "../package-files.js";
import { pythonNameKey } from "../../../base/python-name-key.js";

/** Requirements by normalized name. */
type Requirements = ReadonlyMap<string, string>;

/** Finds a project's requirements in pyproject.toml, Pipfile, setup.cfg and requirements.txt. */
export class PythonRequirements {
  readonly #requirements: ReadOnce<Requirements>;

  constructor(private readonly files: PackageFiles) {
    const parseRequirements = (text: string, path: string): Requirements =>
      path.endsWith("pyproject.toml") ? ofPyproject(text) : path.endsWith("Pipfile") ? ofPipfile(text) : ofLines(text);
    this.#requirements = new ReadOnce(files, parseRequirements, 4 * 1024 * 1024, 100);
  }

  /**
   * Returns the requirement in the nearest file that requires one of the names, and a sentence about that file. `names` must be normalized.
   */
  async of(
    names: readonly string[],
    from: string,
  ): Promise<{ readonly text: string; readonly wish: string } | undefined> {
    for (const folder of upwards(from)) {
      for (const file of [
        "pyproject.toml",
        "Pipfile",
        "requirements.in",
        "requirements.txt",
        "setup.cfg",
        "environment.yml",
      ]) {
        const wishes = await this.#requirements.of(joined(folder, file));
        const name = names.find((one) => wishes?.has(one));
        const wish = name === undefined ? undefined : wishes?.get(name);
        if (wish !== undefined) return { text: `${joined(folder, file)} requires "${wish}"`, wish };
      }
      if ((await this.files.stamp(joined(folder, ".git"))) !== undefined) return undefined;
    }
    return undefined;
  }
}

function ofPyproject(text: string): Requirements {
  const root = asObject(parse(text));
  const project = asObject(root?.["project"]);
  const tool = asObject(root?.["tool"]);
  const poetry = asObject(tool?.["poetry"]);
  const lists = [
    project?.["dependencies"],
    ...Object.values(asObject(project?.["optional-dependencies"]) ?? {}),
    ...Object.values(asObject(root?.["dependency-groups"]) ?? {}),
    asObject(tool?.["uv"])?.["dev-dependencies"],
  ];
  const groups = Object.values(asObject(poetry?.["group"]) ?? {}).map((group) => asObject(group)?.["dependencies"]);
  const tables = [poetry?.["dependencies"], poetry?.["dev-dependencies"], ...groups];
  const lines = lists.flatMap((list: unknown) => stringsOf(list));
  return new Map([...ofTables(tables), ...ofLines(lines.join("\n"))]);
}

function ofPipfile(text: string): Requirements {
  const root = asObject(parse(text));
  return ofTables([root?.["packages"], root?.["dev-packages"]]);
}

function ofTables(tables: readonly unknown[]): Requirements {
  const found = new Map<string, string>();
  for (const table of tables) {
    for (const [name, value] of Object.entries(asObject(table) ?? {})) {
      const version = typeof value === "string" ? value : asObject(value)?.["version"];
      const wish = `${name}${typeof version === "string" && version !== "*" ? ` ${version}` : ""}`;
      if (!found.has(pythonNameKey(name))) found.set(pythonNameKey(name), wish);
    }
  }
  return found;
}

/** Parses a text with one requirement per line. Accepts YAML list items. */
function ofLines(text: string): Requirements {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const plain = line
      .replace(/\s+/g, " ")
      .replace(/^ ?- /, "")
      .replace(/(?:^| )#.*$| ?\\$| --hash\S.*$/g, "")
      .trim();
    const name = /^([A-Za-z0-9][\w.-]*)\s*(?:\[|[<>=!~;@ (]|$)/.exec(plain)?.[1];
    if (name !== undefined && !found.has(pythonNameKey(name))) found.set(pythonNameKey(name), plain.slice(0, 200));
  }
  return found;
}
