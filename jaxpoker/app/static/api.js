// Requests to the server. An error carries the server's own words and its status.

const SESSION = "jaxpoker-session";

export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const session = {
  get: () => localStorage.getItem(SESSION),
  set: (name) => localStorage.setItem(SESSION, name),
  clear: () => localStorage.removeItem(SESSION),
};

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (session.get()) headers.Authorization = `Bearer ${session.get()}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new ServerError(0, "The server does not answer. Is it still running?");
  }
  if (!response.ok) {
    const said = await response.json().catch(() => ({}));
    throw new ServerError(response.status, said.error ?? `The server answers ${response.status}.`);
  }
  return response;
}

export const get = async (path) => (await ask(path)).json();

export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

export async function save(path, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await ask(path)).blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
