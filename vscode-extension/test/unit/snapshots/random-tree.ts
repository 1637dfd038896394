import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";

/** File or link at a path. */
type Node = { readonly bytes: Uint8Array; readonly isExecutable: boolean } | { readonly target: string };

/** Files and links by path. No path is a folder of another one. */
type Nodes = ReadonlyMap<string, Node>;

const names = ["a.txt", "b.bin", "c d.sh", "é/x", "é/y.txt", "deep/er/est/z", "lib/one.ts", "lib/two.ts", "empty"];

const content = fc.oneof(
  fc.constantFrom("", "one\r\ntwo\r\n", "\ufeffmarked\n", "no end", "same\n").map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }),
  fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map((part) => Buffer.concat(Array.from({ length: 3_000 }, () => part))),
);

const node: fc.Arbitrary<Node> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ bytes: content, isExecutable: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ target: fc.constantFrom("a.txt", "../elsewhere", "nowhere", "lib") }) },
);

export const nodes: fc.Arbitrary<Nodes> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), node), { selector: ([path]) => path, maxLength: names.length })
  .map((entries) => new Map(entries));

/** Makes a folder hold exactly these, writing only what differs. */
export function lay(root: string, wanted: Nodes): void {
  const now = read(root);
  for (const path of now.keys()) if (!wanted.has(path)) rmSync(join(root, path));
  for (const [path, one] of wanted) {
    const old = now.get(path);
    if (old && isSame(old, one)) continue;
    const file = join(root, path);
    rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    if ("target" in one) symlinkSync(one.target, file);
    else {
      writeFileSync(file, one.bytes);
      chmodSync(file, one.isExecutable ? 0o755 : 0o644);
    }
  }
}

export function read(root: string, folder = ""): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const { name } of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? name : `${folder}/${name}`;
    const file = join(root, path);
    const stats = lstatSync(file);
    if (stats.isDirectory()) for (const [inner, one] of read(root, path)) found.set(inner, one);
    else if (stats.isSymbolicLink()) found.set(path, { target: readlinkSync(file) });
    else found.set(path, { bytes: readFileSync(file), isExecutable: (stats.mode & 0o100) !== 0 });
  }
  return found;
}

/** For comparing and for messages. */
export function told(all: Nodes): Record<string, string> {
  const lines = [...all].map(([path, one]) => {
    if ("target" in one) return [path, `-> ${one.target}`];
    return [path, `${one.isExecutable ? "x" : "-"} ${Buffer.from(one.bytes).toString("base64")}`];
  });
  return Object.fromEntries(lines.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))) as Record<string, string>;
}

function isSame(one: Node, other: Node): boolean {
  return JSON.stringify(told(new Map([["", one]]))) === JSON.stringify(told(new Map([["", other]])));
}
