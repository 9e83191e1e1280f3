/** Strict base64, for the doors, which know no rule. */
export { Base64Decoder } from '../domain/text/base64.ts';
