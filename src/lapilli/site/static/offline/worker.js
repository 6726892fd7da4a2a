// @ts-check
// The service worker: keeps public pages that somebody has opened, so that they open again without a network.
//
// A page is kept as the site sends it to somebody unknown: it is asked for without cookies. So nothing that belongs to a
// person is ever kept. Its address names the version of the site's files; a new version starts with nothing.

const worker = /** @type {any} */ (self);
const CACHE = `lapilli-${new URL(location.href).searchParams.get("v")}`;
/** Pages that are the same for everybody: the first page, rules, and finished matches. */
const PAGES = /^\/(rules\/[\w-]+|m\/[\w-]+)?$/;
/** Data that such pages load. */
const DATA = /^\/films\/[\w-]+$/;
const FILES = "/static/";
const OFFLINE = "/offline";
/** So many pages are kept, and data of so many; the oldest are dropped first. */
const MOST = 60;

/**
 * Whether the last page that was opened could not be fetched. Only then does the worker answer for files and data:
 * browsers report a fault of the worker where a page is left before they are there. A file's address has the version in
 * it, so the browser keeps files by itself.
 */
let isOffline = false;

/** @returns {Promise<Cache>} */
const kept = () => caches.open(CACHE);

/** Keeps what the site sends to somebody unknown. @param {string} path */
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

/** Keeps a file; one that is kept is right, since its address has the version in it. @param {string} url */
async function keepFile(url) {
  const cache = await kept();
  if (await cache.match(url)) return;
  const answer = await fetch(url, { credentials: "omit" }).catch(() => undefined);
  if (answer?.ok && answer.type === "basic") await cache.put(url, answer);
}

/** @param {Request} request of a page */
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

/** The page, which says that it is an old one. @param {Response} answer */
async function marked(answer) {
  const at = new Date(answer.headers.get("date") ?? Date.now());
  const when = at.toLocaleString("en", { dateStyle: "long", timeStyle: "short" });
  const said = `<p class="offline" role="status">You are offline. This page is as it was on ${when}.</p>`;
  const text = (await answer.text()).replace(/<body[^>]*>/, (body) => `${body}\n${said}`);
  return new Response(text, { headers: answer.headers });
}

/** What is kept of a file or of data, without a network. @param {Request} request */
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
