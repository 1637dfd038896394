import { packageFault } from "../package-reader.js";
import type { Fetched, FetchOptions, FetchWish } from "./fetch-client.js";
import { fetchFromGo } from "./fetch-go.js";
import { fetchFromPython } from "./fetch-python.js";
import { fetchFromMaven } from "./fetch-maven.js";
import { fetchFromNpm } from "./fetch-npm.js";

type Fetch = (wish: FetchWish, options: FetchOptions, signal: AbortSignal) => Promise<Fetched>;

/** By ecosystem. */
const fetchers: Readonly<Record<string, Fetch | undefined>> = {
  npm: fetchFromNpm,
  go: fetchFromGo,
  python: fetchFromPython,
  jvm: fetchFromMaven,
};

/** Has the user's own client fetch a package for reading; nothing of it runs, and nothing is installed. */
export function fetchPackage(
  ecosystem: string,
  wish: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const fetch = fetchers[ecosystem];
  if (fetch) return fetch(wish, options, signal);
  throw packageFault(`Packages of ${ecosystem} are not fetched.`, "Install it by the project's own means.");
}
