// Package connection reads what names a Table endpoint: a storage connection
// string, an address with a shared access signature, or an address, an account and
// a key.
//
// Sources: "Configure Azure Storage connection strings",
// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string;
// "Connect to Azurite with SDKs and tools",
// https://learn.microsoft.com/azure/storage/common/storage-connect-azurite.
package connection
