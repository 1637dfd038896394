/** A small program in which a function is declared in one file and used in another, and what serves its language. */
export interface IdeProject {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** LSP's name of the language. */
  readonly languageId: string;
  readonly extension: string;
  /** The function, and the file and line (from 1) of its declaration. */
  readonly declared: { readonly name: string; readonly file: string; readonly line: number };
  /** A use of it; line and column from 1. */
  readonly used: { readonly file: string; readonly line: number; readonly column: number };
  /** The language server's command line. */
  readonly server: readonly string[];
  readonly initializationOptions?: object;
  /** Parts of the command lines of the server's processes. */
  readonly serverPrograms: readonly string[];
  /** The folder of the server below `.cache/language-servers` that is put on PATH. */
  readonly installed?: string;
  /** For whom the time to the first definition is wanted to be below this. */
  readonly firstDefinitionMs?: number;
}

const lean = { checkOnSave: false, cachePriming: { enable: false } };
const untrusted = { cargo: { buildScripts: { enable: false } }, procMacro: { enable: false } };

/** As many further uses, a line each. */
function uses(line: (n: number) => string): string {
  return Array.from({ length: 10 }, (_, index) => `${line(index + 1)}\n`).join("");
}

const typescriptFiles = {
  "package.json": '{ "name": "toy", "type": "module" }\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "types": [] } }\n',
  "main.ts": `import { totalArea } from "./shapes.js";

const squares = [{ side: 2 }];
const total = totalArea(squares);
export const text = String(totalArea(squares) + total);
${uses((n) => `export const area${n} = totalArea(squares.slice(${n}));`)}`,
  "shapes.ts": `export interface Square {
  side: number;
}

export function totalArea(squares: Square[]): number {
  return squares.reduce((sum, square) => sum + square.side * square.side, 0);
}
`,
};

const typescript = {
  languageId: "typescript",
  extension: "ts",
  declared: { name: "totalArea", file: "shapes.ts", line: 5 },
  used: { file: "main.ts", line: 4, column: 15 },
  serverPrograms: ["tsc", "tsserver", "typescript-language-server", "typingsInstaller"],
  firstDefinitionMs: 1_300,
};

/** One for each language that a peer serves as well; TypeScript twice, since its servers are two different programs. */
export const ideProjects: readonly IdeProject[] = [
  {
    name: "Rust",
    files: {
      "Cargo.toml": '[package]\nname = "toy"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": `mod shapes;
use shapes::{total_area, Square};

fn main() {
    let squares = vec![Square { side: 2.0 }];
    let total = total_area(&squares);
    println!("{}", total_area(&squares) + total);
${uses((n) => `    let _area${n} = total_area(&squares[${n}..]);`)}}
`,
      "src/shapes.rs": `pub struct Square {
    pub side: f64,
}

pub fn total_area(squares: &[Square]) -> f64 {
    squares.iter().map(|square| square.side * square.side).sum()
}
`,
    },
    languageId: "rust",
    extension: "rs",
    declared: { name: "total_area", file: "src/shapes.rs", line: 5 },
    used: { file: "src/main.rs", line: 6, column: 17 },
    server: ["rust-analyzer"],
    initializationOptions: { ...lean, ...untrusted },
    serverPrograms: ["rust-analyzer", "rustc", "cargo"],
    firstDefinitionMs: 1_900,
  },
  {
    ...typescript,
    name: "TypeScript 7",
    files: typescriptFiles,
    server: ["tsc", "--lsp", "--stdio"],
    installed: "typescript-7.0.2/node_modules/.bin",
  },
  {
    ...typescript,
    name: "TypeScript 6",
    // Symposium chooses the server by the TypeScript version installed in the workspace.
    files: { ...typescriptFiles, "node_modules/typescript/package.json": '{ "version": "6.0.3" }' },
    server: ["typescript-language-server", "--stdio"],
    installed: "typescript-language-server-5.3.0/node_modules/.bin",
  },
  {
    name: "Go",
    files: {
      "go.mod": "module example.com/toy\n\ngo 1.21\n",
      "main.go": `package main

func main() {
	squares := []Square{{side: 2}}
	total := totalArea(squares)
	println(totalArea(squares) + total)
${uses((n) => `\tprintln(totalArea(squares[${n}:]))`)}}
`,
      "shapes.go": `package main

type Square struct {
	side float64
}

func totalArea(squares []Square) float64 {
	sum := 0.0
	for _, square := range squares {
		sum += square.side * square.side
	}
	return sum
}
`,
    },
    languageId: "go",
    extension: "go",
    declared: { name: "totalArea", file: "shapes.go", line: 7 },
    used: { file: "main.go", line: 5, column: 11 },
    server: ["gopls"],
    serverPrograms: ["gopls"],
    installed: "gopls/bin",
  },
];
