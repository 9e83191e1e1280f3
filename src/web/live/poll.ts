/** The polling interval of what no stream covers, in milliseconds. */
export const pollMs = 2500;
