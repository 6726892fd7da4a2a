// @ts-check
// The service worker: caches public pages that people have opened, so that the browser can show them offline.
//
// Pages are requested for the cache without cookies, as for an unknown visitor. So the cache never contains anything
// that belongs to a person. The worker's address contains the version of the site's files; a new version begins with an
// empty cache.

const worker = /** @type {any} */ (self);
const CACHE = `lapilli-${new URL(location.href).searchParams.get("v")}`;
/** Pages that are the same for everybody: the first page, rules, and finished matches. */
const PAGES = /^\/(rules\/[\w-]+|m\/[\w-]+)?$/;
/** Data that these pages load. */
const DATA = /^\/films\/[\w-]+$/;
const FILES = "/static/";
const OFFLINE = "/offline";
/** Largest number of cached pages, and also of cached data files. The oldest are dropped first. */
const MOST = 60;

/**
 * Whether the last page could not be fetched. Only then does the worker also answer requests for files and data.
 * Otherwise, browsers would report errors of the worker when somebody leaves a page before its files have arrived.
 * Online, the browser's own cache is enough for files, because their addresses contain the version.
 */
let isOffline = false;

/** Opens the cache of stored responses. @returns {Promise<Cache>} */
const kept = () => caches.open(CACHE);

/** Caches a page or data, as the site sends it to an unknown visitor. @param {string} path */
async function keep(path) {
  const answer = await fetch(path, { credentials: "omit" }).catch(() => undefined);
  if (answer?.status !== 200 || answer.redirected) return; // 202: a film whose game is being compiled
  const cache = await kept();
  await cache.delete(path);
  await cache.put(path, answer);
  const all = await cache.keys();
  for (const kind of [PAGES, DATA]) {
    const old = all.filter(({ url }) => kind.test(new URL(url).pathname)).slice(0, -MOST);
    for (const one of old) await cache.delete(one);
  }
}

/** Caches a file, unless it is cached: it cannot be outdated, because its address has a version. @param {string} url */
async function keepFile(url) {
  const cache = await kept();
  if (await cache.match(url)) return;
  const answer = await fetch(url, { credentials: "omit" }).catch(() => undefined);
  if (answer?.ok && answer.type === "basic") await cache.put(url, answer);
}

/** Answers the request for a page, from the cache if the site cannot be reached. @param {Request} request */
async function page(request) {
  try {
    const answer = await fetch(request);
    isOffline = false;
    return answer;
  } catch (problem) {
    isOffline = true;
    const cache = await kept();
    const { pathname } = new URL(request.url);
    const known = PAGES.test(pathname) ? await cache.match(pathname) : undefined;
    const shown = known ?? (await cache.match(OFFLINE));
    if (!shown) throw problem;
    return known ? marked(known) : shown;
  }
}

/** Adds to a cached page the notice that one is offline, and the page's date. @param {Response} answer */
async function marked(answer) {
  const at = new Date(answer.headers.get("date") ?? Date.now());
  const when = at.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
  const said = `<p class="offline" role="status">No connection to the site. This page is as it was on ${when}.</p>`;
  const text = (await answer.text()).replace(/<body[^>]*>/, (body) => `${body}\n${said}`);
  return new Response(text, { headers: answer.headers });
}

/** Answers the request for a file or data, from the cache if it is cached. @param {Request} request */
async function part(request) {
  const known = await (await kept()).match(new URL(request.url).pathname);
  return known ?? fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(keep(OFFLINE).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const clear = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  const { path, files } = /** @type {{path: string, files: string[]}} */ (event.data);
  const all = async () => {
    if (!PAGES.test(path)) return;
    await keep(path);
    for (const one of files) {
      const { origin, pathname } = new URL(one);
      if (origin !== location.origin) continue;
      if (pathname.startsWith(FILES)) await keepFile(pathname);
      else if (DATA.test(pathname)) await keep(pathname);
    }
  };
  event.waitUntil(all());
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (isOffline && (pathname.startsWith(FILES) || DATA.test(pathname))) event.respondWith(part(request));
});
