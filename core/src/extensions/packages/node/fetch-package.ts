import { packageFault } from "../package-reader.js";
import type { Fetched, FetchOptions, FetchWish } from "./fetch-client.js";
import { fetchFromGo } from "./fetch-go.js";
import { fetchFromPython } from "./fetch-python.js";
import { fetchFromMaven } from "./fetch-maven.js";
import { fetchFromNpm } from "./fetch-npm.js";

type Fetch = (wish: FetchWish, options: FetchOptions, signal: AbortSignal) => Promise<Fetched>;

const fetchers: Readonly<Record<string, Fetch | undefined>> = {
  npm: fetchFromNpm,
  go: fetchFromGo,
  python: fetchFromPython,
  jvm: fetchFromMaven,
};

/** Downloads a package for reading with the user's own package client. Neither installs the package nor runs any of its code. */
export function fetchPackage(
  ecosystem: string,
  wish: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const fetch = fetchers[ecosystem];
  if (fetch) return fetch(wish, options, signal);
  throw packageFault(`${ecosystem} packages can't be fetched.`, "Install it with the project's own tools.");
}
