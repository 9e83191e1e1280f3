/** Why a file is left to a person that both sides changed in place. */
export const disagreement = 'both sides say different things: choose between the markers, then git add it';
