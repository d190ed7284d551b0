export const providerName = 'agent';
