import {
  argumentsSchema,
  integerSchema,
  numberArgument,
  textArgument,
  textSchema,
} from "../../base/mcp/tool-schema.js";
import type { Tool } from "../../base/mcp/tool-server.js";
import type { LibraryAnswer, PackageLibrary } from "../packages/package-library.js";
import {
  type AbsentPackage,
  type InstalledPackage,
  type OtherVersion,
  packageFault,
  type PackageItem,
  type PackageReader,
  sourceKinds,
} from "../packages/package-reader.js";
import type { SourcesServices } from "./services.js";
import type { KindOfFiles } from "../packages/package-folder.js";

const defaultMatches = 40;
const maxMatches = 200;
const defaultLines = 200;
const maxLines = 1_000;
const maxNames = 300;

const packageProperties = {
  name: textSchema('An import as in code, such as "zod", "lodash/fp", "node:fs"; NAME@VERSION for a fetched one.'),
  from: textSchema("The importing file: it decides the version."),
} as const;

export function sourcesTools(services: SourcesServices, cwd: string): readonly Tool[] {
  const folder = services.spelled(cwd);
  const find = async (args: Arguments): Promise<LibraryAnswer & { readonly library: PackageLibrary }> => {
    const library = await services.library();
    const name = textArgument(args, "name") ?? "";
    return { library, ...(await library.find({ name, cwd: folder, from: textArgument(args, "from") })) };
  };
  const installed = async (args: Arguments) => {
    const found = await find(args);
    if (found.answer.kind === "installed") return { ...found, answer: found.answer };
    throw packageFault(absentText(found.answer, undefined), fetchHint(found));
  };
  return [sources(find), search(installed), item(installed), file(installed), fetchTool(services, find, folder)];
}

type Arguments = Readonly<Record<string, unknown>>;
type Find = (args: Arguments) => Promise<LibraryAnswer & { readonly library: PackageLibrary }>;
type FindInstalled = (
  args: Arguments,
) => Promise<{ readonly library: PackageLibrary; readonly reader: PackageReader; readonly answer: InstalledPackage }>;

function sources(find: Find): Tool {
  return {
    name: "package_sources",
    description:
      "Says which version of a package a file really gets, why, which other versions are here, and where its types, sources and docs lie.",
    inputSchema: argumentsSchema(packageProperties, ["name"]),
    annotations: { readOnlyHint: true },
    async call(args) {
      const found = await find(args);
      const { answer, reader, library } = found;
      if (answer.kind === "absent") return absentText(answer, fetchHint(found));
      const [kinds, entry] = await Promise.all([library.folders.kinds(answer, reader), reader.entry(answer)]);
      return sourcesText(answer, kinds, entry);
    },
  };
}

function search(find: FindInstalled): Tool {
  return {
    name: "package_search",
    description:
      "Finds lines in an installed package, including sources from its source maps; minified files are left out.",
    inputSchema: argumentsSchema(
      {
        ...packageProperties,
        pattern: textSchema("A regular expression; case matters if it has upper case."),
        kind: { enum: sourceKinds },
        offset: integerSchema(0, "Matches to skip."),
        limit: integerSchema(1, `${defaultMatches} by default.`, maxMatches),
      },
      ["name", "pattern"],
    ),
    annotations: { readOnlyHint: true },
    async call(args, { signal }) {
      const { answer, reader, library } = await find(args);
      const [{ searchPackage }, { textNote, toPattern }] = await Promise.all([
        import("../packages/search-package.js"),
        import("../packages/text/line-search.js"),
      ]);
      const offset = numberArgument(args, "offset", 0);
      const pattern = toPattern(textArgument(args, "pattern") ?? "");
      const question = {
        pattern,
        kind: sourceKinds.find((kind) => kind === args["kind"]),
        offset,
        limit: numberArgument(args, "limit", defaultMatches),
      };
      const found = await searchPackage(library.files, library.folders, answer, reader, question, signal);
      const { matches, total, searched, minified, broken } = found;
      const left = total - offset - matches.length;
      const skipped = minified === 0 ? "" : `, ${minified} minified left out`;
      return [
        `${headOf(answer)}, ${answer.folder}: ${total} lines match in ${searched} files${skipped}${textNote(pattern)}`,
        ...(broken === undefined ? [] : [`Not whole: ${broken}`]),
        ...matches,
        ...(left > 0 && matches.length > 0 ? [`… ${left} more: pass offset ${offset + matches.length}`] : []),
      ].join("\n");
    },
  };
}

function item(find: FindInstalled): Tool {
  return {
    name: "package_item",
    description:
      "Shows how a package declares a symbol: signature, documentation and location. Follows re-exports. Without a symbol, lists the names that the package exports.",
    inputSchema: argumentsSchema(
      {
        ...packageProperties,
        symbol: textSchema('Such as "z" or "Router.use".'),
      },
      ["name"],
    ),
    annotations: { readOnlyHint: true },
    async call(args) {
      const { answer, reader } = await find(args);
      const symbol = textArgument(args, "symbol");
      const head = `${headOf(answer)}, ${answer.folder}`;
      if (symbol === undefined) return `${head}\n${namesText(await reader.names(answer))}`;
      if (!/^[\w$]+(?:[.#:]+[\w$]+)*$/.test(symbol)) {
        throw packageFault(
          `symbol: ${JSON.stringify(symbol)} isn't a name.`,
          'Give one such as "Router" or "Router.use".',
        );
      }
      const items = await reader.items(answer, symbol.replace(/[#:]+/g, "."));
      if (items.length > 0) return [head, ...items.map(itemText)].join("\n\n");
      throw packageFault(
        `${answer.name} ${answer.version} declares no "${symbol}" that is reachable from ` +
          `${answer.subpath === "" ? "its main module" : `"${answer.subpath}"`}.`,
        "List its names by leaving symbol out, look in another of its modules, or search with package_search.",
      );
    },
  };
}

function file(find: FindInstalled): Tool {
  return {
    name: "package_file",
    description: "Reads a file of a package, including from an archive (Plug'n'Play) or a source map.",
    inputSchema: argumentsSchema(
      {
        ...packageProperties,
        path: textSchema("In the package, as the other tools show it."),
        line: integerSchema(1, "The first line."),
        lines: integerSchema(1, `${defaultLines} by default.`, maxLines),
      },
      ["name", "path"],
    ),
    annotations: { readOnlyHint: true },
    async call(args) {
      const { answer, library } = await find(args);
      const path = textArgument(args, "path") ?? "";
      const { types } = answer;
      const ofTypes = types && path.startsWith(`${types.folder}/`) ? { ...answer, ...types, isFixed: true } : answer;
      const all = (await library.folders.text(ofTypes, path)).split("\n");
      const first = numberArgument(args, "line", 1);
      const shown = all.slice(first - 1, first - 1 + numberArgument(args, "lines", defaultLines));
      const end = first - 1 + shown.length;
      const head = `${headOf(ofTypes)} ${path}: lines ${first} to ${end} of ${all.length}`;
      return `${head}\n${shown.map((line) => (line.length > 2_000 ? `${line.slice(0, 2_000)}…` : line)).join("\n")}`;
    },
  };
}

function fetchTool(services: SourcesServices, find: Find, folder: string): Tool {
  return {
    name: "package_fetch",
    description:
      "Downloads a package that is not installed, with the user's own client (such as npm pack) and outside the project; nothing of " +
      "it runs.",
    inputSchema: argumentsSchema(
      {
        ...packageProperties,
        version: textSchema("A version, range or tag."),
      },
      ["name"],
    ),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    async call(args, context) {
      const { answer, reader } = await find(args);
      const version = textArgument(args, "version") ?? (answer.kind === "absent" ? answer.wanted : answer.version);
      context.progress(`fetching ${answer.name}`);
      const wish = { ecosystem: reader.ecosystem, name: answer.name, version, folder };
      const fetched = await services.fetch(wish, context.signal);
      const name = `${answer.name}@${fetched.version}`;
      return (
        `${answer.name} ${fetched.version} (${reader.ecosystem}) is in ${fetched.folder}, downloaded with: ${fetched.command}\nAsk the ` +
        `other tools for "${name}".`
      );
    },
  };
}

function fetchHint({ answer, reader }: LibraryAnswer): string {
  // Omit a range that isn't plain, since it may be a URL or contain shell syntax.
  const wanted = answer.kind === "absent" ? (answer.wanted ?? "") : "";
  const command = reader.fetchCommand(answer.name, /^[\w.+~^-]+$/.test(wanted) ? wanted : undefined);
  return `package_fetch downloads it for reading, without installing it: ${command}.`;
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return "No exported names were found: it may have no types. Search it with package_search.";
  const left = names.length - maxNames;
  return `${names.slice(0, maxNames).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

const maxOthers = 12;
const maxWanting = 4;

/** Returns the heading of an answer: the package and its version. */
function headOf({ name, version, ecosystem }: InstalledPackage): string {
  return `${name} ${version} (${ecosystem})`;
}

function sourcesText(found: InstalledPackage, kinds: readonly KindOfFiles[], entry: string | undefined): string {
  const { folder, subpath, why, drift, others, types } = found;
  const home = types?.folder ?? folder;
  return [
    headOf(found),
    `Folder: ${folder}${isInArchive(folder) ? " (in an archive: read its files with package_file)" : ""}`,
    ...(types ? [`Types: ${types.name} ${types.version} in ${types.folder}`] : []),
    ...(entry === undefined ? [] : [`${subpath === "" ? "Starts" : `"${subpath}" starts`} at: ${home}/${entry}`]),
    `Why: ${why.join("; ")}`,
    ...(drift === undefined ? [] : [`Drift: ${drift}`]),
    ...othersLine(others),
    `Files: ${kinds.map(kindText).join("; ")}`,
  ].join("\n");
}

function absentText(absent: AbsentPackage, fetchable: string | undefined): string {
  const { name, ecosystem, wanted, why, others } = absent;
  return [
    `${name}${wanted === undefined ? "" : ` ${wanted}`} (${ecosystem}) is not installed here.`,
    `Why: ${why.join("; ")}`,
    ...othersLine(others),
    ...(fetchable === undefined ? [] : [fetchable]),
  ].join("\n");
}

function itemText({ file, line, text, of }: PackageItem): string {
  const place = of ? `${of.name} ${of.version}: ${of.folder}/${file}` : file;
  return `${place}:${line}\n${text}`;
}

function othersLine(others: readonly OtherVersion[]): string[] {
  if (others.length === 0) return [];
  const shown = others.slice(0, maxOthers).map(({ version, wantedBy }) => {
    const more = wantedBy.length - maxWanting;
    const who = `${wantedBy.slice(0, maxWanting).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    return wantedBy.length === 0 ? version : `${version} (for ${who})`;
  });
  const left = others.length - shown.length;
  return [`Other versions here: ${shown.join("; ")}${left > 0 ? `; ${left} more` : ""}`];
}

function kindText({ kind, files, folder }: KindOfFiles): string {
  return `${files} ${kind}${folder === "" ? "" : ` in ${folder}/`}`;
}

function isInArchive(folder: string): boolean {
  return /\.(?:zip|jar)(?:\/|$)/.test(folder);
}
