import { fileUri, pathOfFileUri } from "../../../src/base/file-uri.js";
import {
  type IdeOperationHandlers,
  type IdeOperations,
  operationsOf,
} from "../../../src/base/ide-operations/ide-operations.js";
import { type OperationState, ready } from "../../../src/base/ide-operations/operation-state.js";
import type { PositionParams } from "../../../src/base/ide-operations/operation-types.js";
import { contains, type Location, type Target } from "../../../src/base/ide-operations/place.js";
import type { OutlineItem } from "../../../src/base/ide-operations/symbol-item.js";
import type { WorkspaceEdit } from "../../../src/base/ide-operations/workspace-edit.js";
import { indexOfWord, linesOf, wordAt } from "../../../src/extensions/ide-operations/documents.js";
import { editedText } from "../../../src/extensions/ide-operations/edits/edited-text.js";
import type { IdeOperationsServices, WordHit } from "../../../src/extensions/ide-operations/services.js";

const folder = "/w";

/** A library of two files, as rust-analyzer would know it. */
const shapes = {
  "src/shape.rs": `pub trait Shape {
    fn area(&self) -> f64;
}

pub struct Circle {
    pub radius: f64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        3.14 * self.radius * self.radius
    }
}

pub fn total_area(shapes: &[Circle]) -> f64 {
    shapes.iter().map(|shape| shape.area()).sum()
}
`,
  "src/main.rs": `use shape::{total_area, Circle};

fn main() {
    // total_area of nothing
    let total = total_area(&[]);
    println!("{}", total_area(&[Circle { radius: 1.0 }]));
}
`,
} as const;

/**
 * A workspace in memory with a language server that knows declarations by `fn`, `struct`, `trait` and `impl` at the
 * begin of a line, and takes every other occurrence of a name for a use of the first declaration.
 */
export class IdeWorkspace {
  readonly files: Map<string, string>;
  state: OperationState = ready;
  /** Lines, as `src/main.rs:4`, where the server finds no definition. */
  readonly blind = new Set<string>();
  /** Lines that it leaves out of references and renames. */
  readonly lost = new Set<string>();
  /** Names of the requested operations, such as `definition` or `rename`. */
  readonly asked: string[] = [];
  /** Texts of the editor that are not on disk, by path. */
  readonly unsaved = new Map<string, string>();
  /** Handlers that replace the workspace's own or add to them. */
  handlers: IdeOperationHandlers = {};
  /** The server does not know symbols by name. */
  hasNoIndex = false;

  constructor(files: Readonly<Record<string, string>> = shapes) {
    this.files = new Map(Object.entries(files));
  }

  get operations(): IdeOperations {
    const own = this.#handlers();
    const operations = operationsOf({ ...own, ...this.handlers });
    return {
      supported: operations.supported,
      run: (name, params, signal) => {
        this.asked.push(name);
        return operations.run(name, params, signal);
      },
    };
  }

  get services(): IdeOperationsServices {
    return {
      readText: (path) => Promise.resolve(this.files.get(path.slice(folder.length + 1))),
      ownFiles: (_folder, paths) => {
        return Promise.resolve(new Set(paths.filter((path) => !path.startsWith(`${folder}/generated/`))));
      },
      searchWord: ({ word, extensions, limit }) => {
        const paths = [...this.files.keys()].filter(
          (path) => extensions === undefined || extensions.some((extension) => path.endsWith(`.${extension}`)),
        );
        const own = paths.filter((path) => !path.startsWith("generated/"));
        const hits = own.flatMap((path) => occurrences(path, this.#text(path), word));
        return Promise.resolve({ hits: hits.slice(0, limit), isWhole: hits.length <= limit });
      },
    };
  }

  #text(path: string): string {
    return this.unsaved.get(path) ?? this.files.get(path) ?? "";
  }

  #declarations(): OutlineItem[] {
    return [...this.files.keys()].flatMap((path) => outline(path, this.#text(path)));
  }

  #word({ uri, position }: PositionParams): string {
    return wordAt(linesOf(this.#text(relative(uri)))[position.line] ?? "", position.character)?.word ?? "";
  }

  #declarationOf(params: PositionParams): OutlineItem | undefined {
    const name = this.#word(params);
    const named = this.#declarations().filter((item) => item.name === name);
    const own = named.find(
      ({ uri, selectionRange }) => uri === params.uri && contains(selectionRange, params.position),
    );
    return own ?? named[0];
  }

  #definition(params: PositionParams): Target[] {
    if (this.blind.has(lineKey(params.uri, params.position.line))) return [];
    const item = this.#declarationOf(params);
    return item ? [{ uri: item.uri, range: item.selectionRange, extent: item.range }] : [];
  }

  #references(params: PositionParams, includeDeclaration: boolean): Location[] {
    const name = this.#word(params);
    const declared = this.#declarations().filter((item) => item.name === name);
    return [...this.files.keys()]
      .flatMap((path) => occurrences(path, this.#text(path), name))
      .map(({ path, line, character }) => rangeOf(fileUri(path), line, character, name.length))
      .filter((use) => !this.lost.has(lineKey(use.uri, use.range.start.line)))
      .filter((use) => !this.blind.has(lineKey(use.uri, use.range.start.line)))
      .filter(
        (use) =>
          includeDeclaration ||
          !declared.some(({ uri, selectionRange }) => uri === use.uri && contains(selectionRange, use.range.start)),
      );
  }

  #handlers(): IdeOperationHandlers {
    const page = <T>(items: readonly T[]) => Promise.resolve({ state: this.state, items, total: items.length });
    return {
      definition: (params) => page(this.#definition(params)),
      references: (params) => page(this.#references(params, params.includeDeclaration)),
      implementations: (params) => {
        const name = this.#word(params);
        return page(
          this.#declarations()
            .filter((item) => item.container?.startsWith(`impl ${name} `) === true)
            .map(({ uri, selectionRange, range }) => ({ uri, range: selectionRange, extent: range })),
        );
      },
      documentSymbols: ({ uri }) => page(outline(relative(uri), this.#text(relative(uri)))),
      workspaceSymbols: ({ query }) =>
        page(this.hasNoIndex ? [] : this.#declarations().filter(({ name }) => name.includes(query))),
      hover: (params) => {
        const item = this.#declarationOf(params);
        return Promise.resolve({
          state: this.state,
          text: item ? `\`\`\`rust\n${item.kind} ${item.name}\n\`\`\`` : null,
        });
      },
      rename: (params) => Promise.resolve({ state: this.state, edit: this.#rename(params, params.newName) }),
      applyEdit: ({ edit }) => {
        for (const change of edit.changes) {
          if (change.kind !== "edit") continue;
          const path = relative(change.uri);
          this.files.set(path, editedText(this.#text(path), change.edits));
        }
        return Promise.resolve({ state: this.state, isApplied: true });
      },
      readDocument: ({ uri }) => Promise.resolve({ state: this.state, text: this.#text(relative(uri)) }),
    };
  }

  #rename(params: PositionParams, newText: string): WorkspaceEdit {
    const places = this.#references(params, true);
    const uris = [...new Set(places.map(({ uri }) => uri))];
    return {
      changes: uris.map((uri) => ({
        kind: "edit",
        uri,
        edits: places.filter((place) => place.uri === uri).map(({ range }) => ({ range, newText })),
      })),
    };
  }
}

export const workspaceFolder = folder;

/** The URI of a file of the workspace. */
export function uriIn(path: string): string {
  return fileUri(`${folder}/${path}`);
}

function relative(uri: string): string {
  return (pathOfFileUri(uri) ?? "").slice(folder.length + 1);
}

function lineKey(uri: string, line: number): string {
  return `${relative(uri)}:${line + 1}`;
}

function rangeOf(uri: string, line: number, character: number, length: number): Location {
  return { uri, range: { start: { line, character }, end: { line, character: character + length } } };
}

function occurrences(path: string, text: string, word: string): WordHit[] {
  return linesOf(text).flatMap((source, line) => {
    const hits: WordHit[] = [];
    for (let at = indexOfWord(source, word); at !== -1; at = indexOfWord(source, word, at + 1)) {
      hits.push({ path: `${folder}/${path}`, line, character: at, source });
    }
    return hits;
  });
}

const kinds: Readonly<Record<string, string>> = {
  fn: "function",
  struct: "struct",
  trait: "interface",
  impl: "object",
};

function outline(path: string, text: string): OutlineItem[] {
  const lines = linesOf(text);
  return lines.flatMap((source, line): OutlineItem[] => {
    const match = /^(\s*)(?:pub )?(fn|struct|trait|impl) ([^({;]+?)(?: ?[({;].*)?$/.exec(source);
    if (!match) return [];
    const [, indent = "", keyword = "", title = ""] = match;
    const name = keyword === "impl" ? `impl ${title}` : title;
    const column = source.indexOf(title);
    const depth = indent.length / 4;
    const container = lines.slice(0, line).findLast((other) => depth > 0 && /^\S.*\{$/.test(other));
    const closing = lines.findIndex((other, index) => index >= line && other === `${indent}}`);
    const isOneLine = source.endsWith(";") || source.endsWith("}");
    const end = isOneLine || closing === -1 ? line : closing;
    return [
      {
        ...rangeOf(`file://${folder}/${path}`, line, indent.length, source.length),
        range: { start: { line, character: indent.length }, end: { line: end, character: 99 } },
        name,
        kind: keyword === "fn" && depth > 0 ? "method" : (kinds[keyword] ?? keyword),
        depth,
        selectionRange: rangeOf("", line, column, title.length).range,
        ...(container !== undefined && { container: container.replace(/^pub (?:trait |struct )?|\s*\{$/g, "") }),
      },
    ];
  });
}
