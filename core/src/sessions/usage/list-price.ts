import { asObject, type Members, parsedObject } from "../../base/rpc/json.js";
import { modelPrices } from "./model-prices.js";

/** Cost of a turn's requests at list prices, which don't apply to subscriptions. */
interface ListPrice {
  /** Cost of the models with a known price, in millionths of a US dollar. */
  readonly microDollars: number;
  readonly unknown: readonly string[];
}

/** Price of a model in US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** Returns the list price of a turn if its result has tokens per model, as with Codex and Gemini; otherwise undefined. */
export function listPriceOf(result: string): ListPrice | undefined {
  if (!result.includes('"model_usage"')) return undefined;
  const quota = asObject(asObject(parsedObject(result)?.["_meta"])?.["quota"]);
  const usages = quota?.["model_usage"];
  if (!Array.isArray(usages)) return undefined;
  let microDollars = 0;
  const unknown = new Set<string>();
  for (const usage of usages) {
    const { model, token_count: counts } = asObject(usage) ?? {};
    const tokens = asObject(counts);
    if (typeof model !== "string" || !tokens) continue;
    const price = priceOf(model);
    if (price) microDollars += amountOf(tokens, price);
    else if (countIn(tokens, "totalTokens", "inputTokens", "input_tokens", "outputTokens", "output_tokens") > 0) {
      unknown.add(model);
    }
  }
  return { microDollars: Math.round(microDollars), unknown: [...unknown] };
}

/** Returns a model's price; undefined if unknown. `name` may have the agent's format, such as `openai/gpt-5.2[high]`. */
export function priceOf(name: string): Price | undefined {
  const model = name
    .toLowerCase()
    .replace(/[[(].*$/, "")
    .replace(/^.*\//, "")
    .trim();
  return pricesByPattern().find(({ pattern }) => pattern.test(model))?.price;
}

let read: readonly { readonly pattern: RegExp; readonly price: Price }[] | undefined;

function pricesByPattern(): NonNullable<typeof read> {
  read ??= modelPrices
    .trim()
    .split("\n")
    .map((line) => {
      const [pattern = "", ...prices] = line.split(" ");
      const [input = 0, cacheRead = input, cacheWrite = input, output = 0] = prices.map((price) =>
        price === "-" ? undefined : Number(price),
      );
      return { pattern: new RegExp(pattern), price: { input, cacheRead, cacheWrite, output } };
    });
  return read;
}

function amountOf(tokens: Members, { input, cacheRead, cacheWrite, output }: Price): number {
  const all = countIn(tokens, "inputTokens", "input_tokens");
  const answered = countIn(tokens, "outputTokens", "output_tokens");
  const readFromCache = countIn(tokens, "cachedInputTokens", "cachedReadTokens", "cached_tokens");
  const written = countIn(tokens, "cacheWriteInputTokens", "cachedWriteTokens");
  const total = countIn(tokens, "totalTokens");
  // Some agents include cached tokens in the input and others don't; the total shows which is the case.
  const isBeside = total >= all + readFromCache + written + answered && readFromCache + written > 0;
  const plain = isBeside ? all : Math.max(0, all - readFromCache - written);
  return plain * input + readFromCache * cacheRead + written * cacheWrite + answered * output;
}

/** Returns the first of these members whose value is a count. */
function countIn(tokens: Members, ...names: readonly string[]): number {
  const counts = names.map((name) => tokens[name]);
  return (
    counts.find((count): count is number => typeof count === "number" && Number.isFinite(count) && count >= 0) ?? 0
  );
}
