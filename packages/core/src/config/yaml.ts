// In a file of its own, so that what turns the parser's CommonJS into a module is loaded with it and not by every command.
// By name: a bundler cannot tell what all of a CommonJS module is.
export { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
