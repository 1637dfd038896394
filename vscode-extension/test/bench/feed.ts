/** Times of one feed, in milliseconds since its first piece was sent. */
interface FeedTimes {
  readonly lastSentMs: number;
  /** The end is to be seen. */
  readonly shownMs: number;
  /** Nothing is left to do, in view or out of it. */
  readonly settledMs: number;
}

/** A chat view under measure, as the page of the bench drives it. */
interface Surface {
  /** An empty conversation in which the agent begins to answer. */
  open(): void;
  /** More of the answer. */
  answer(text: string): void;
  /** More output of the command that runs; absent where the view has nothing of the kind. */
  output?(text: string): void;
  /** A conversation of `count` items as soon as the view can take it; it ends with {@link endMark}. */
  restore(count: number): void;
  /** The text at the end of what is shown. */
  shownEnd(): string;
  /** False while it still works on something out of view. */
  isSettled(): boolean;
}

/** The page's functions for the bench. */
interface Bench {
  /** Makes ready what `run` sends. */
  prepare(feed: FeedName): Promise<void>;
  run(): Promise<FeedTimes>;
  /** With `?restore=COUNT` in the page's address: when a conversation of as many items was shown, in milliseconds since the navigation. */
  readonly restoredMs: Promise<number>;
  /** Shows every part of the conversation once. */
  scrollThrough(selector: string): Promise<void>;
}

declare global {
  var bench: Bench;
}

interface Feed {
  readonly pieces: readonly string[];
  /** Between two messages; 0 is as fast as they are taken. */
  readonly everyMs: number;
  readonly kind: "answer" | "output";
}

type FeedName = keyof typeof feeds;

/** The last words of everything that is fed. */
export const endMark = "The very end.";

const feeds = {
  /** 5,000 chunks of 40 characters, 25 of them every 16 ms as one message, as the extension sends them. */
  chunks: (): Feed => ({
    pieces: inPieces(prose(200_000 - endMark.length) + endMark, 1_000),
    everyMs: 16,
    kind: "answer",
  }),
  /** The first tenth of them, for views that cannot keep up. */
  someChunks: (): Feed => ({
    pieces: inPieces(prose(20_000 - endMark.length) + endMark, 1_000),
    everyMs: 16,
    kind: "answer",
  }),
  /** One answer of 200,000 characters in one message. */
  answer: (): Feed => ({ pieces: [prose(200_000 - endMark.length) + endMark], everyMs: 0, kind: "answer" }),
  /** 35,000 lines of a command. */
  output: (): Feed => {
    const text = Array.from({ length: 35_000 }, (_, at) => outputLine(at)).join("");
    return { pieces: [...inPieces(text, 4_096), endMark], everyMs: 0, kind: "output" };
  },
};

// Pieces come from another thread, as the extension's do: a page that is busy does not slow its agent down.
const sender = `onmessage = async ({ data: { pieces, everyMs } }) => {
  const start = performance.timeOrigin + performance.now();
  for (const [at, piece] of pieces.entries()) {
    const wait = start + at * everyMs - (performance.timeOrigin + performance.now());
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    postMessage({ piece });
  }
  postMessage({ start, end: performance.timeOrigin + performance.now() });
};`;

/** Makes `surface` measurable from outside of the page. */
export function offerBench(surface: Surface): void {
  const count = Number(new URLSearchParams(location.search).get("restore"));
  if (count > 0) surface.restore(count);
  let prepared: Feed | undefined;
  globalThis.bench = {
    prepare: async (name) => {
      prepared = feeds[name]();
      surface.open();
      await frames(3);
    },
    run: () => run(surface, prepared ?? feeds.answer()),
    restoredMs: count === 0 ? Promise.resolve(0) : shown(surface).then(() => performance.now()),
    scrollThrough: async (selector) => {
      const view = document.querySelector(selector);
      if (view === null) return;
      for (let top = view.scrollHeight; top > 0; top -= view.clientHeight * 3) {
        view.scrollTop = top;
        await frames(1);
      }
    },
  };
}

/** Markdown of `size` characters with what answers have: prose, lists, code, tables. */
export function prose(size: number): string {
  const section = (at: number): string => `## Part ${at}

The **login** of \`src/login.ts:${at}\` sends *two* redirects; see [the docs](https://example.com/${at}).
It is called by every page, and none of them expects more than one answer.

- Return after the first redirect
- Add a test that counts them

\`\`\`ts
export function login${at}(user: User): Response {
  // One redirect is enough.
  if (!user.isKnown) return redirect("/sign-in", 302);
  return ok(user.name);
}
\`\`\`

| File | Before | After |
|---|--:|--:|
| login.ts | ${at} | 1 |

`;
  let text = "";
  for (let at = 1, next = section(at); text.length + next.length <= size; next = section(++at)) text += next;
  return text + "word ".repeat(size / 5).slice(0, size - text.length);
}

function outputLine(at: number): string {
  const colour = at % 7 === 0 ? "31" : "32";
  return `\u001b[${colour}m${at % 7 === 0 ? "✗" : "✓"}\u001b[0m case ${at} of the suite ran in ${at % 90} ms\r\n`;
}

function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

async function run(surface: Surface, { pieces, everyMs, kind }: Feed): Promise<FeedTimes> {
  const worker = new Worker(URL.createObjectURL(new Blob([sender], { type: "text/javascript" })));
  const sent = new Promise<{ start: number; end: number }>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<{ piece: string } | { start: number; end: number }>) => {
      if (!("piece" in data)) resolve(data);
      else if (kind === "answer") surface.answer(data.piece);
      else surface.output?.(data.piece);
    };
  });
  worker.postMessage({ pieces, everyMs });
  const { start, end } = await sent;
  const sinceStart = (): number => performance.timeOrigin + performance.now() - start;
  await shown(surface);
  const shownMs = sinceStart();
  while (!surface.isSettled()) await frames(1);
  const settledMs = sinceStart();
  worker.terminate();
  return { lastSentMs: end - start, shownMs, settledMs };
}

/** Resolves in the frame after the one in which the end is in the page. */
async function shown(surface: Surface): Promise<void> {
  do await frames(1);
  while (!surface.shownEnd().includes(endMark));
  await frames(1);
}

async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame++) await new Promise(requestAnimationFrame);
}
