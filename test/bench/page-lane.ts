import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { findChromium, launchChromium } from "../support/vscode/chromium.js";

/** A page under measure: the files it is made of by name, its scripts in order, and what scrolls in it. */
export interface PageLane {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly scroller: string;
}

/** A feed that was shown, in milliseconds since its first piece was sent. */
export interface PageTimes {
  readonly lastSentMs: number;
  /** The end was to be seen. */
  readonly shownMs: number;
  /** Nothing was left to do, in view or out of it. */
  readonly settledMs: number;
  /** The longest task of the page's main thread: the time it computed, whatever else the machine did meanwhile. */
  readonly longestTaskMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const size = { width: 400, height: 800 };
const mebibyte = 1_048_576;

/** A browser that shows pages of the bench, each alone. */
export class PageBrowser implements AsyncDisposable {
  private constructor(
    private readonly browser: Browser,
    private readonly server: Server,
    private readonly lanes: ReadonlyMap<string, PageLane>,
  ) {}

  static async start(lanes: ReadonlyMap<string, PageLane>): Promise<PageBrowser> {
    const server = createServer((request, response) => {
      const [, lane = "", name = ""] = new URL(request.url ?? "/", "http://127.0.0.1").pathname.split("/");
      const files = lanes.get(lane);
      const body = name === "" && files ? documentOf(files) : files?.files.get(name);
      if (body === undefined) response.writeHead(404).end();
      else response.setHeader("Content-Type", typeOf(name)).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await launchChromium(await findChromium());
    return new PageBrowser(browser, server, lanes);
  }

  /** Opens the page of a lane and feeds it with one of its feeds. */
  async feed(lane: string, feed: string, limitMs: number): Promise<PageTimes> {
    await using opened = await this.#open(lane, "");
    await opened.page.evaluate(`bench.prepare(${JSON.stringify(feed)})`);
    await this.browser.startTracing(opened.page, { categories: ["toplevel"] });
    try {
      const times: Omit<PageTimes, "longestTaskMs"> = await within(limitMs, opened.page.evaluate("bench.run()"));
      return { ...times, longestTaskMs: longestTask(await this.browser.stopTracing()) };
    } catch (error) {
      await this.browser.stopTracing();
      throw error;
    }
  }

  /** Opens the page of a lane with `count` items: how long until they are shown, and its heap after a walk through them. */
  async restore(lane: string, count: number, limitMs: number): Promise<{ shownMs: number; heapMiB: number }> {
    await using opened = await this.#open(lane, `?restore=${count}`);
    const { page } = opened;
    const shownMs: number = await within(limitMs, page.evaluate("bench.restoredMs"));
    const scroller = JSON.stringify(this.lanes.get(lane)?.scroller ?? "");
    await within(limitMs, page.evaluate(`bench.scrollThrough(${scroller})`));
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return { shownMs, heapMiB: usedSize / mebibyte };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #open(lane: string, query: string): Promise<AsyncDisposable & { readonly page: Page }> {
    const page = await this.browser.newPage({ viewport: size });
    const { port } = this.server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/${lane}/${query}`);
    return { page, [Symbol.asyncDispose]: () => page.close() };
  }
}

function documentOf({ scripts, styles }: PageLane): string {
  const links = styles.map((name) => `<link rel="stylesheet" href="${name}">`);
  const loads = scripts.map((name) => `<script type="module" src="${name}"></script>`);
  return `<!doctype html><meta charset="utf-8"><title>bench</title>${links.join("")}<body>${loads.join("")}`;
}

function typeOf(name: string): string {
  if (name === "") return "text/html; charset=utf-8";
  if (name.endsWith(".js")) return "text/javascript";
  return name.endsWith(".css") ? "text/css" : "font/ttf";
}

/** The longest task of a page's main thread, in milliseconds. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  let longest = 0;
  for (const { pid, tid, tdur = 0 } of traceEvents) if (mains.has(`${pid}/${tid}`)) longest = Math.max(longest, tdur);
  return longest / 1_000;
}

async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  const late = AbortSignal.timeout(limitMs);
  return Promise.race([
    work,
    new Promise<never>((_resolve, reject) => {
      late.addEventListener("abort", () => reject(new Error(`not done after ${limitMs / 1_000} s`)));
    }),
  ]);
}
