import * as z from "zod/mini";
import type { StoredCheckpoints } from "../restore/checkpoints.js";
import { type CommentThread, commentThreadSchema } from "../comments/review-comments.js";
import type { StoredRestore } from "../restore/restored-files.js";
import type { StoredReview } from "../review-book.js";

export interface ReviewState {
  readonly reviews: readonly StoredReview[];
  readonly checkpoints: Readonly<Record<string, StoredCheckpoints>>;
  readonly restores: Readonly<Record<string, StoredRestore>>;
  readonly comments: readonly CommentThread[];
}

const attributesSchema = z.object({ mode: z.number(), hasMark: z.boolean() });

const textsSchema = z.object({ texts: z.array(z.string()) });

/** Returns the schema of a stored review, in which a file's text is its index in `texts`. */
function storedSchema(texts: readonly string[]) {
  const place = z.number().check(z.refine((at) => texts[at] !== undefined));
  const text = z.nullable(
    z.pipe(
      place,
      z.transform((at) => texts[at] ?? ""),
    ),
  );
  return z.object({
    version: z.literal(2),
    reviews: z.array(
      z.object({
        path: z.string(),
        tabIds: z.array(z.string()),
        baseline: text,
        current: text,
        written: z.optional(text),
        attributes: z.optional(z.object({ before: attributesSchema, after: attributesSchema })),
      }),
    ),
    checkpoints: z.record(
      z.string(),
      z.array(
        z.object({
          messageId: z.string(),
          files: z.array(z.object({ path: z.string(), before: text, after: text })),
        }),
      ),
    ),
    restores: z.record(
      z.string(),
      z.object({
        messageId: z.string(),
        files: z.array(z.object({ path: z.string(), now: text, text, hasOthers: z.boolean() })),
      }),
    ),
    comments: z.array(commentThreadSchema),
  });
}

/** Members that contain a file's text. */
const textKeys: ReadonlySet<string> = new Set(["baseline", "current", "written", "before", "after", "now", "text"]);

/** Maximum characters to convert to JSON per step. */
const pieceChars = 1_000_000;

/** Serializes the state in steps, so that the texts of hundreds of files don't block other tasks. */
export async function storedReview({ comments, ...state }: ReviewState): Promise<Uint8Array> {
  const texts = new Map<string, number>();
  const placed = JSON.stringify(state, (key, value: unknown) => {
    if (typeof value !== "string" || !textKeys.has(key)) return value;
    const place = texts.get(value) ?? texts.size;
    texts.set(value, place);
    return place;
  });
  const pieces = [Buffer.from('{"version":2,"texts":[')];
  let lines = "";
  for (const [text, place] of texts) {
    lines += `${place === 0 ? "" : ","}${JSON.stringify(text)}`;
    if (lines.length < pieceChars) continue;
    pieces.push(Buffer.from(lines));
    lines = "";
    await new Promise(setImmediate);
  }
  pieces.push(Buffer.from(`${lines}],"comments":${JSON.stringify(comments)},${placed.slice(1)}`));
  return Buffer.concat(pieces);
}

/** Parses a stored review. Returns undefined for an unknown format. */
export function parseStoredReview(json: string): ReviewState | undefined {
  const value: unknown = JSON.parse(json);
  const { texts } = textsSchema.safeParse(value).data ?? {};
  const stored = texts && storedSchema(texts).safeParse(value).data;
  if (!stored) return undefined;
  const { version: _version, ...state } = stored;
  return state;
}
