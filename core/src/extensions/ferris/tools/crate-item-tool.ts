import { argumentsSchema, textArgument, textSchema } from "../../../base/mcp/tool-schema.js";
import type { Tool } from "../../../base/mcp/tool-server.js";
import { messageOf } from "../../../base/symposium-error.js";
import { crateFault } from "../crates/workspace-crates.js";
import type { CrateLocator, LocatedCrate } from "../crates/crate-locator.js";
import { CrateItems, type ItemTarget, type PathTarget } from "../rust/crate-items.js";
import { itemReport, moduleReport, placeOf } from "../rust/item-report.js";
import { crateProperties, versionLine } from "./crate-tools.js";

const standardCrates = new Set(["std", "core", "alloc", "proc_macro", "test"]);
/** Limit for chains of re-exports between crates; real ones end after two. */
const mostCrates = 4;
const mostTargets = 6;

/** Tool that shows an item of a crate: signature, documentation, source and methods. */
export function crateItemTool(locator: CrateLocator, cwd: string): Tool {
  return {
    name: "crate_item",
    title: "Show an item of a crate",
    description:
      "Shows an item of a Rust crate from its sources, at the version this workspace uses: signature, documentation, " +
      "source, and for types their methods and trait implementations. Follows modules and re-exports. " +
      "For a module (or the crate itself) it lists the public items.",
    inputSchema: argumentsSchema(
      {
        ...crateProperties,
        path: textSchema("Path of the item, such as tokio::runtime::Runtime or serde_json::Value::as_str."),
      },
      ["crate_name", "path"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call(args, context) {
      const crateName = textArgument(args, "crate_name") ?? "";
      const crate = await locator.locate({ crateName, version: textArgument(args, "version"), cwd }, context.signal);
      const walk = new ItemWalk(locator, cwd, context.signal);
      const path = segmentsOf(textArgument(args, "path") ?? "", [crate.name, crateName]);
      return (await walk.report(crate, path, mostCrates)).join("\n\n");
    },
  };
}

class ItemWalk {
  constructor(
    private readonly locator: CrateLocator,
    private readonly cwd: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns paragraphs; the first names the crate and version. */
  async report(crate: LocatedCrate, path: readonly string[], cratesLeft: number): Promise<string[]> {
    const items = itemsOf(crate);
    const head = `${versionLine(crate)} Files are relative to ${crate.folder.path}`;
    const targets = await items.find(path);
    const reports: string[] = [];
    for (const target of targets.slice(0, mostTargets)) {
      if (target.kind === "item") reports.push(await itemReport(items, target));
      else if (target.kind === "module") reports.push(await moduleReport(items, target));
      else reports.push(...(await this.#external(crate, target, cratesLeft)));
    }
    if (targets.length > mostTargets) reports.push(`… ${targets.length - mostTargets} more items of this path`);
    return [head, ...(reports.length > 0 ? reports : await this.#byName(crate, items, path))];
  }

  async #external(
    crate: LocatedCrate,
    target: Extract<PathTarget, { kind: "external" }>,
    cratesLeft: number,
  ): Promise<string[]> {
    const full = [target.crateName, ...target.path].join("::");
    const plain = (name: string): string => name.replaceAll("-", "_");
    const declared = crate.dependencies.find((one) => plain(one.rename ?? one.name) === plain(target.crateName));
    if (standardCrates.has(target.crateName)) return [`This is a re-export of ${full}, of the standard library.`];
    if (!declared || cratesLeft <= 1) return [`This is a re-export of ${full}, which is not in this crate.`];
    const question = { crateName: declared.name, version: declared.requirement, cwd: this.cwd };
    try {
      const other = await this.locator.locate(question, this.signal);
      return [`This is a re-export of ${full}.`, ...(await this.report(other, target.path, cratesLeft - 1))];
    } catch (fault) {
      if (this.signal.aborted) throw fault;
      return [`This is a re-export of ${full}. ${messageOf(fault)}`];
    }
  }

  /** Searches by the last name only, since the path's modules may be wrong. */
  async #byName(crate: LocatedCrate, items: CrateItems, path: readonly string[]): Promise<string[]> {
    const name = path.at(-1) ?? "";
    const spelled = [crate.name.replaceAll("-", "_"), ...path].join("::");
    const named = await items.named(name);
    const [only, ...others] = named;
    if (only && others.length === 0) {
      const note = `No path ${spelled} is visible in the sources; this is the only item named "${name}".`;
      return [note, await itemReport(items, only)];
    }
    if (named.length > 0)
      return [
        `No path ${spelled} is visible in the sources. Items named "${name}":\n${named.slice(0, 30).map(nameLine).join("\n")}`,
      ];
    throw crateFault(
      `The crate ${crate.name} ${crate.version} has no item "${spelled}", nor one named "${name}".`,
      `Search for it with crate_search, or list the public items with the path "${crate.name.replaceAll("-", "_")}". A macro may ` +
        "generate it.",
    );
  }
}

function nameLine(item: ItemTarget): string {
  const { file, at, name } = item;
  return `${file.isPublic(at) ? "pub " : ""}${file.kindOf(at)} ${name} (${placeOf(item)})`;
}

function itemsOf(crate: LocatedCrate): CrateItems {
  if (crate.rootFile !== undefined) return new CrateItems(crate.folder, crate.rootFile);
  throw crateFault(
    `The crate ${crate.name} ${crate.version} has no library and no program.`,
    "Read its folder instead.",
  );
}

/** Returns the path's segments after the crate name, without generics and call brackets. */
function segmentsOf(path: string, crateNames: readonly string[]): string[] {
  const parts = path
    .replace(/<.*>|\(.*\)|!$/g, "")
    .split(/::|\./)
    .map((part) => part.trim().replace(/^r#/, ""))
    .filter((part) => part !== "");
  const bad = parts.find((part) => !/^[A-Za-z_]\w*$/.test(part.replaceAll("-", "_")));
  if (bad !== undefined || parts.length === 0) {
    throw crateFault(
      `${JSON.stringify(path)} isn't an item path.`,
      'Write it as in Rust, such as "tokio::runtime::Runtime".',
    );
  }
  const own = new Set(["crate", ...crateNames.map((name) => name.replaceAll("-", "_"))]);
  return own.has((parts[0] ?? "").replaceAll("-", "_")) ? parts.slice(1) : parts;
}
