import * as z from "zod/mini";
import type { StoredCheckpoints } from "../restore/checkpoints.js";
import type { AttributeChange } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { type CommentThread, commentThreadSchema } from "../comments/review-comments.js";
import type { StoredRestore } from "../restore/restored-files.js";
import type { StoredReview } from "../review-book.js";

export interface ReviewState {
  readonly reviews: readonly StoredReview[];
  readonly checkpoints: Readonly<Record<string, StoredCheckpoints>>;
  readonly restores: Readonly<Record<string, StoredRestore>>;
  readonly comments: readonly CommentThread[];
}

/** File text, or its index in `texts`, which has each text once. Version 1 had the texts inline. */
const textSchema = z.nullable(z.union([z.string(), z.number()]));
type TextPlace = z.infer<typeof textSchema>;

const attributesSchema = z.object({ mode: z.number(), hasMark: z.boolean() });

const storedSchema = z.object({
  version: z.literal([1, 2]),
  texts: z._default(z.array(z.string()), []),
  reviews: z.array(
    z.object({
      path: z.string(),
      tabIds: z.array(z.string()),
      baseline: textSchema,
      current: textSchema,
      written: z.optional(textSchema),
      attributes: z.optional(z.object({ before: attributesSchema, after: attributesSchema })),
    }),
  ),
  checkpoints: z.record(
    z.string(),
    z.array(
      z.object({
        messageId: z.string(),
        files: z.array(z.object({ path: z.string(), before: textSchema, after: textSchema })),
      }),
    ),
  ),
  restores: z._default(
    z.record(
      z.string(),
      z.object({
        messageId: z.string(),
        files: z.array(z.object({ path: z.string(), now: textSchema, text: textSchema, hasOthers: z.boolean() })),
      }),
    ),
    {},
  ),
  comments: z._default(z.array(commentThreadSchema), []),
});

/** Maximum characters to convert to JSON per step. */
const pieceChars = 1_000_000;

/** Serializes the state in steps, so that the texts of hundreds of files don't block other tasks. */
export async function storedReview(state: ReviewState): Promise<Uint8Array> {
  const texts = new Map<string, number>();
  const placed = withTexts<FileText, TextPlace>(state, (text) => {
    if (text === null) return null;
    const place = texts.get(text) ?? texts.size;
    texts.set(text, place);
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
  pieces.push(Buffer.from(`${lines}],${JSON.stringify({ ...placed, comments: state.comments }).slice(1)}`));
  return Buffer.concat(pieces);
}

/** Parses a stored review. Returns undefined for an unknown format. */
export function parseStoredReview(json: string): ReviewState | undefined {
  const { data } = storedSchema.safeParse(JSON.parse(json));
  if (!data) return undefined;
  const { texts, comments } = data;
  const missing: number[] = [];
  const state = withTexts<TextPlace, FileText>(data, (place) => {
    if (typeof place !== "number") return place;
    const text = texts[place];
    if (text === undefined) missing.push(place);
    return text ?? null;
  });
  return missing.length === 0 ? { ...state, comments } : undefined;
}

interface TextsOf<T> {
  readonly reviews: readonly {
    readonly path: string;
    readonly tabIds: readonly string[];
    readonly baseline: T;
    readonly current: T;
    readonly written?: T | undefined;
    readonly attributes?: AttributeChange | undefined;
  }[];
  readonly checkpoints: Readonly<
    Record<
      string,
      readonly {
        readonly messageId: string;
        readonly files: readonly { readonly path: string; readonly before: T; readonly after: T }[];
      }[]
    >
  >;
  readonly restores: Readonly<
    Record<
      string,
      {
        readonly messageId: string;
        readonly files: readonly {
          readonly path: string;
          readonly now: T;
          readonly text: T;
          readonly hasOthers: boolean;
        }[];
      }
    >
  >;
}

function withTexts<T, U>({ reviews, checkpoints, restores }: TextsOf<T>, change: (text: T) => U): TextsOf<U> {
  return {
    reviews: reviews.map(({ path, tabIds, baseline, current, written, attributes }) => ({
      path,
      tabIds,
      baseline: change(baseline),
      current: change(current),
      ...(written === undefined ? {} : { written: change(written) }),
      ...(attributes && { attributes }),
    })),
    checkpoints: mapValues(checkpoints, (prompts) =>
      prompts.map(({ messageId, files }) => ({
        messageId,
        files: files.map(({ path, before, after }) => ({ path, before: change(before), after: change(after) })),
      })),
    ),
    restores: mapValues(restores, ({ messageId, files }) => ({
      messageId,
      files: files.map(({ path, now, text, hasOthers }) => ({
        path,
        now: change(now),
        text: change(text),
        hasOthers,
      })),
    })),
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
