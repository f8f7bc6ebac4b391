/** The OpenAPI document. In the checkout and in the package it has this path, seen from this file. */
export const documentFile = new URL("../docs/openapi.json", import.meta.url);
