import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { type JsonObject, stringOf } from "./json.js";

/** Content of a file before the agent's first write through the editor, and after the last one. */
interface ReviewedEdit {
  readonly before: string | undefined;
  readonly after: string;
}

/** The folder that Zed has open. Agents reach nothing outside, and Zed reviews only what they write through it. */
export class ZedProject {
  /** Edits that Zed would offer to accept or reject, by path in the project. */
  readonly review = new Map<string, ReviewedEdit>();
  /** The paths in the project that were written through Zed, one entry for each time. */
  readonly writes: string[] = [];

  constructor(private readonly root: string) {}

  /** `fs/read_text_file`; lines are 1-based. A missing file is read as an empty one. */
  read({ path, line, limit }: JsonObject): JsonObject {
    const inside = this.#inProject(path);
    const text = this.#content(inside) ?? "";
    if (typeof line !== "number" && typeof limit !== "number") return { content: text };
    const first = typeof line === "number" ? Math.max(line, 1) - 1 : 0;
    const lines = text.split("\n").slice(first, typeof limit === "number" ? first + limit : undefined);
    return { content: lines.join("\n") };
  }

  /** `fs/write_text_file`. */
  write({ path, content }: JsonObject): JsonObject {
    const inside = this.#inProject(path);
    const before = this.review.has(inside) ? this.review.get(inside)?.before : this.#content(inside);
    const file = resolve(this.root, inside);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, stringOf(content));
    this.writes.push(inside);
    this.review.set(inside, { before, after: stringOf(content) });
    return {};
  }

  #content(inside: string): string | undefined {
    try {
      return readFileSync(resolve(this.root, inside), "utf8");
    } catch {
      return undefined;
    }
  }

  #inProject(path: unknown): string {
    const inside = relative(this.root, stringOf(path));
    if (!isAbsolute(stringOf(path)) || inside.startsWith("..") || inside === "") throw notFound(path);
    return inside;
  }
}

function notFound(path: unknown): RequestError {
  return RequestError.resourceNotFound(stringOf(path));
}
