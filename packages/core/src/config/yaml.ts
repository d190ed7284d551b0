// In a file of its own, so that what turns the parser's CommonJS into a module is loaded with it and not by every command.
export * from 'yaml';
