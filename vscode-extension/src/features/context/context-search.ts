import * as l10n from "@vscode/l10n";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileUri } from "@symposium-dev/core";
import { isInside } from "@symposium-dev/core/node";
import type { Attachment, ContextResult } from "../../../protocol/index.js";
import { pathLabel } from "../../acp/tool-content.js";
import type { FileIndex, FileMatch } from "./file-index.js";

interface FoundContext {
  readonly results: ContextResult[];
  readonly note?: string;
}

const maxFiles = 40;
const maxOpenFiles = 12;
const maxSymbols = 12;
const maxFirstFiles = 20;
/** Maximum wait for slow sources, such as a language server that is still indexing. The list then shows the results without them. */
const waitMs = 400;
/** Matches `src/a.ts:10-20` or `src/a.ts:10`. */
const lineSuffix = /:(\d+)(?:-(\d+))?$/;

/** Finds matches for `@text`: files, folders, symbols and special entries such as the selection or the terminal. */
export class ContextSearch {
  constructor(
    private readonly editor: EditorContext,
    private readonly indexOf: (folder: string) => FileIndex,
  ) {}

  async find(text: string, roots: readonly string[]): Promise<FoundContext> {
    const query = text.trim();
    const special = this.#special(query, roots);
    if (query === "") {
      const open = this.editor.openFiles().slice(0, maxOpenFiles);
      const others = (await inTime(this.#firstFiles(roots))).filter((path) => !open.includes(path));
      const paths = [...open, ...others].slice(0, Math.max(maxFirstFiles, open.length));
      return { results: [...special, ...paths.map((path) => fileResultAt(path, false, roots))] };
    }
    const lines = lineSuffix.exec(query);
    const name = lines ? query.slice(0, lines.index) : query;
    const [files, symbols] = await Promise.all([this.#files(name, roots), lines ? [] : this.#symbols(name, roots)]);
    const found = files.map(({ root, match }) => fileResult(root, match, roots, lines));
    const cut = roots.filter((root) => this.indexOf(root).isCut);
    return {
      results: [...special, ...found, ...symbols.map((symbol) => symbolResult(symbol, roots))],
      ...(cut.length === 0
        ? {}
        : {
            note: l10n.t(
              "Some files in {0} aren't searched because there are too many.",
              cut.map((root) => basename(root)).join(", "),
            ),
          }),
    };
  }

  async #files(text: string, roots: readonly string[]): Promise<{ root: string; match: FileMatch }[]> {
    const perRoot = await Promise.all(
      roots.map(async (root) => {
        const matches = await this.indexOf(root).search(text, maxFiles);
        return matches.map((match) => ({ root, match }));
      }),
    );
    return perRoot
      .flat()
      .sort((a, b) => b.match.score - a.match.score)
      .slice(0, maxFiles);
  }

  async #firstFiles(roots: readonly string[]): Promise<string[]> {
    const perRoot = await Promise.all(
      roots.map(async (root) => (await this.indexOf(root).first(maxFirstFiles)).map((path) => join(root, path))),
    );
    return perRoot.flat();
  }

  /** Returns symbols inside the roots without duplicates. Providers can report a symbol twice, with and without its comment. */
  async #symbols(text: string, roots: readonly string[]): Promise<readonly FoundSymbol[]> {
    const found = await inTime(this.editor.symbols(text).catch(() => []));
    const own = found.filter(({ path }) => roots.some((root) => isInside(path, root)));
    return own.filter((one, at) => !own.slice(0, at).some((other) => isSame(one, other))).slice(0, maxSymbols);
  }

  /** Returns the non-file entries that have a word starting with `query`. */
  #special(query: string, roots: readonly string[]): ContextResult[] {
    const wanted = query.toLowerCase();
    return this.#offers(roots).filter(({ attachment, detail }) =>
      `${attachment.label} ${attachment.type} ${detail ?? ""}`
        .toLowerCase()
        .split(/[\s-]+/)
        .some((word) => word.startsWith(wanted)),
    );
  }

  #offers(roots: readonly string[]): ContextResult[] {
    const offers: ContextResult[] = [];
    const selection = this.editor.selection();
    if (selection) offers.push({ attachment: selection, icon: "list-selection", detail: l10n.t("Selection") });
    const [active] = this.editor.openFiles();
    const here = active === undefined ? 0 : this.editor.problemCount(active);
    if (active !== undefined && here > 0) {
      const label = l10n.t("Problems in {0}", basename(active));
      offers.push({
        attachment: { type: "problems", label, uri: fileUri(active) },
        icon: "warning",
        detail: String(here),
      });
    }
    const all = this.editor.problemCount();
    if (all > 0) {
      offers.push({
        attachment: { type: "problems", label: l10n.t("Problems") },
        icon: "warning",
        detail: String(all),
      });
    }
    const terminal = this.editor.terminal();
    if (terminal)
      offers.push({ attachment: { type: "terminal", ...terminal }, icon: "terminal", detail: l10n.t("Terminal") });
    if (roots.length > 0) {
      offers.push({
        attachment: { type: "git-diff", label: l10n.t("Changes") },
        icon: "git-compare",
        detail: l10n.t("git diff"),
      });
    }
    return offers;
  }
}

/** Returns the results found within `waitMs`, or no results after that time. */
async function inTime<T>(found: Promise<readonly T[]>): Promise<readonly T[]> {
  const ending = new AbortController();
  const late = wait(waitMs, [] as const, { signal: ending.signal }).catch(() => []);
  try {
    return await Promise.race([found, late]);
  } finally {
    ending.abort();
  }
}

function isSame(one: FoundSymbol, other: FoundSymbol): boolean {
  const isAtOnePlace = one.startLine <= other.endLine && other.startLine <= one.endLine;
  return one.name === other.name && one.path === other.path && isAtOnePlace;
}

function fileResult(
  root: string,
  { path, isFolder }: FileMatch,
  roots: readonly string[],
  lines: RegExpExecArray | null,
): ContextResult {
  const result = fileResultAt(join(root, path), isFolder, roots);
  const [, first, last] = lines ?? [];
  if (isFolder || first === undefined || result.attachment.type !== "file") return result;
  const startLine = Math.max(Number(first), 1);
  const endLine = Math.max(Number(last ?? first), startLine);
  const { uri, label } = result.attachment;
  const attachment: Attachment = {
    type: "symbol",
    uri,
    label: `${label}:${lineRangeLabel(startLine, endLine)}`,
    startLine,
    endLine,
  };
  return { ...result, attachment };
}

function fileResultAt(path: string, isFolder: boolean, roots: readonly string[]): ContextResult {
  const detail = pathLabel(path, roots);
  const name = basename(path);
  return {
    attachment: { type: isFolder ? "folder" : "file", uri: fileUri(path), label: name },
    icon: isFolder ? "folder" : "file",
    ...(detail === name ? {} : { detail }),
  };
}

function symbolResult(symbol: FoundSymbol, roots: readonly string[]): ContextResult {
  const { name, containerName, icon, path, startLine, endLine } = symbol;
  const place = `${pathLabel(path, roots)}:${startLine}`;
  return {
    attachment: { type: "symbol", uri: fileUri(path), label: name, startLine, endLine },
    icon,
    detail: containerName === "" ? place : `${containerName} · ${place}`,
  };
}

export function lineRangeLabel(startLine: number, endLine: number): string {
  return startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
}

/** Symbol reported by a language service. Lines are 1-based and inclusive. */
export interface FoundSymbol {
  readonly name: string;
  readonly containerName: string;
  /** Codicon name, such as `symbol-method`. */
  readonly icon: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface EditorContext {
  selection(): Extract<Attachment, { type: "selection" }> | undefined;
  openFiles(): readonly string[];
  symbols(text: string): Promise<readonly FoundSymbol[]>;
  problemCount(path?: string): number;
  terminal(): { readonly label: string; readonly text: string } | undefined;
}
