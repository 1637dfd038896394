/** What one feed took, in milliseconds since its first piece was sent. */
export interface FeedTimes {
  readonly lastSentMs: number;
  readonly shownMs: number;
}

/** A chat view under measure, as the page of the bench drives it. */
export interface Surface {
  /** An empty conversation. */
  open(): void;
  /** More of the answer that is being written. */
  answer(text: string): void;
  /** More output of the command that runs; absent where the view has nothing of the kind. */
  output?(text: string): void;
  /** A conversation of `count` items as soon as the view can take it; it ends with {@link endMark}. */
  restore(count: number): void;
  /** The text at the end of what is shown. */
  shownEnd(): string;
}

/** What the page offers to the bench. */
export interface Bench {
  /** `count` pieces of `size` characters, `perTick` of them every 16 ms as one message, as the extension sends them. */
  stream(count: number, size: number, perTick: number): Promise<FeedTimes>;
  /** One answer of `size` characters in one message. */
  whole(size: number): Promise<FeedTimes>;
  /** `count` lines of a command, as fast as they are taken. */
  output(count: number): Promise<FeedTimes>;
  /** With `?restore=COUNT` in the page's address: when a conversation of as many items was shown, in milliseconds since the navigation. */
  readonly restoredMs: Promise<number>;
  scrollThrough(selector: string): Promise<void>;
}

declare global {
  var bench: Bench;
}

const tickMs = 16;
/** The last words of everything that is fed. */
export const endMark = "The very end.";
const noLimit = 0;

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
  globalThis.bench = {
    stream: (count, size, perTick) => {
      surface.open();
      const text = prose(count * size - endMark.length) + endMark;
      const step = size * perTick;
      const pieces = Array.from({ length: Math.ceil(text.length / step) }, (_, at) =>
        text.slice(at * step, (at + 1) * step),
      );
      return feed(surface, pieces, tickMs, (piece) => surface.answer(piece));
    },
    whole: (size) => {
      surface.open();
      return feed(surface, [prose(size - endMark.length) + endMark], noLimit, (piece) => surface.answer(piece));
    },
    output: (count) => {
      surface.open();
      const lines = Array.from({ length: count }, (_, at) => outputLine(at));
      const pieces = Array.from({ length: Math.ceil(count / 100) }, (_, at) =>
        lines.slice(at * 100, (at + 1) * 100).join(""),
      );
      return feed(surface, [...pieces, endMark], noLimit, (piece) => surface.output?.(piece));
    },
    restoredMs: count === 0 ? Promise.resolve(0) : shown(surface).then(() => performance.now()),
    scrollThrough: async (selector) => {
      const view = document.querySelector(selector);
      if (view === null) return;
      for (let top = view.scrollHeight; top > 0; top -= view.clientHeight * 3) {
        view.scrollTop = top;
        await new Promise(requestAnimationFrame);
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

async function feed(
  surface: Surface,
  pieces: readonly string[],
  everyMs: number,
  take: (piece: string) => void,
): Promise<FeedTimes> {
  const worker = new Worker(URL.createObjectURL(new Blob([sender], { type: "text/javascript" })));
  const sent = new Promise<{ start: number; end: number }>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<{ piece: string } | { start: number; end: number }>) => {
      if ("piece" in data) take(data.piece);
      else resolve(data);
    };
  });
  worker.postMessage({ pieces, everyMs });
  const { start, end } = await sent;
  await shown(surface);
  const shownMs = performance.timeOrigin + performance.now() - start;
  worker.terminate();
  return { lastSentMs: end - start, shownMs };
}

/** Resolves in the frame after the one in which the end is in the page. */
async function shown(surface: Surface): Promise<void> {
  do await new Promise(requestAnimationFrame);
  while (!surface.shownEnd().includes(endMark));
  await new Promise(requestAnimationFrame);
}
