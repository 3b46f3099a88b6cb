// Every operation of the API by the client that @hey-api/openapi-ts makes, as its user writes it: `use_client.js ADDRESS TOKEN` prints JSON.
import { client } from "./made/client.gen";
import * as api from "./made";

declare const process: { argv: string[] };
const [, , baseUrl, auth] = process.argv;
client.setConfig({ baseUrl, auth, throwOnError: true });
const options = { throwOnError: true } as const;
const path = { dataset: "" };

async function main(): Promise<void> {
  path.dataset = (await api.listDatasets(options)).data.datasets[0]!.id;
  const red: api.Search = { terms: [{ text: "a red car" }], k: 4, attributes: true, where: { body_type: ["suv"] } };
  const texts = (await api.search({ path, body: red, ...options })).data.hits;
  const picture = (await api.thumbnail({ path: { ...path, row: 11 }, ...options })).data;
  const words = { aspects: ["red", "green", "blue"], templates: ["a {} car"] };
  const tagged = { rows: texts.map((hit) => hit.row), tag: "from typescript" };
  const edit = (await api.editLabels({ path, body: tagged, ...options })).data;
  const one = (await api.listNotions({ query: path, ...options })).data.notions[0]!;
  const wrong = await api.neighbors({ path: { ...path, row: 10 ** 6 }, throwOnError: false });
  const near = { path: { ...path, row: 3 }, query: { k: 4, notion: "car color" }, ...options };
  const found = {
    status: (await api.status(options)).data.may_edit,
    images: (await api.showDataset({ path, ...options })).data.images,
    file: (await api.showImage({ path: { ...path, row: 3 }, ...options })).data.file,
    texts: texts.map((hit) => hit.row),
    types: [...new Set(texts.map((hit) => String(hit.attributes!["body_type"])))].sort(),
    picture: await picture.slice(8, 12).text(),
    "by picture": (await api.searchByImage({ path, body: picture, query: { k: 1 }, ...options })).data.hits.map((hit) => hit.row),
    neighbors: (await api.neighbors(near)).data.hits.map((hit) => hit.row),
    notion: (await api.showNotion({ path: { notion: one.name }, ...options })).data.name,
    dim: (await api.fitNotion({ path, body: { notion: words }, ...options })).data.dim,
    labeled: (await api.imageLabels({ path, ...options })).data.images.map((image) => image.row),
    labels: (await api.listLabels({ path, ...options })).data.labels.map((label) => [label.name, label.images]),
    undone: (await api.undoLabels({ path, ...options })).data.images === edit.images,
    wrong: wrong.error!.detail,
  };
  console.log(JSON.stringify(found));
}

void main();
