export const providerName = 'ssh';
