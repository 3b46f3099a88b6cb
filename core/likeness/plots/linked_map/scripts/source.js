// Where a map gets what it shows beside its payload: from a server, by URL. A notebook has a source of its own, of the same form.

const KEPT_INFOS = 2000;
const infos = new Map(); // URL -> Promise of {label, attributes}

class ServerSource {
  /** thumbnails, info: URL templates with "{row}"; info may be missing. */
  constructor({ thumbnails, info }) {
    Object.assign(this, { thumbnails, info, hasPictures: true, describes: Boolean(info) });
  }

  /** URL of the picture of a row. */
  picture(row) {
    return rowURL(this.thumbnails, row);
  }

  /** Promise of {label, attributes} of a row. */
  describe(row) {
    const url = rowURL(this.info, row);
    if (!infos.has(url)) {
      if (infos.size >= KEPT_INFOS) infos.delete(infos.keys().next().value);
      const answer = fetch(url).then((r) => (r.ok ? r.json() : Promise.reject(new Error("This image is not described"))));
      infos.set(url, answer);
      answer.catch(() => infos.delete(url));
    }
    return infos.get(url);
  }

  /** Whether a row has been described before, so that asking again costs nothing. */
  knows(row) {
    return infos.has(rowURL(this.info, row));
  }

  /** The bytes (ArrayBuffer) of a part {id, url}. */
  async bytes({ url }) {
    // A range makes the server send the bytes as they are: packing random floats costs time and saves nothing.
    const answer = await fetch(url, { headers: { Range: "bytes=0-" } });
    if (!answer.ok) throw new Error((answer.status === 401 && (await answer.text())) || "The server could not send what the map shows. Load this page again.");
    return answer.arrayBuffer();
  }
}

const rowURL = (template, row) => template.replace("{row}", row);
